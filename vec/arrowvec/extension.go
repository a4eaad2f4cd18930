package arrowvec

import (
	"reflect"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Names of extension types, and the keys by which a field carries one.
const (
	nameJSON    = "arrow.json"
	nameUUID    = "arrow.uuid"
	nameVariant = "arrow.parquet.variant"
	// oldNameVariant is what arrow-go called a Parquet Variant before version 18.8.
	oldNameVariant = "parquet.variant"

	extensionNameKey = "ARROW:extension:name"
)

// extension is an extension type that this package writes. It is not registered with the Arrow library: what clients send is told apart
// by the names that fields carry, so that programs with a registry of their own may use this package too.
type extension struct {
	arrow.ExtensionBase
	name string
}

func newExtension(name string, storage arrow.DataType) arrow.DataType {
	return &extension{arrow.ExtensionBase{Storage: storage}, name}
}

// extensionArray is an array of an extension.
type extensionArray struct{ array.ExtensionArrayBase }

// ArrayType, ExtensionName, ExtensionEquals, String, Serialize and Deserialize make an arrow.ExtensionType.
func (*extension) ArrayType() reflect.Type { return reflect.TypeFor[extensionArray]() }

// ExtensionName returns the name that fields carry.
func (e *extension) ExtensionName() string { return e.name }

// String returns name and storage.
func (e *extension) String() string { return e.name + "<" + e.Storage.String() + ">" }

// ExtensionEquals compares names and storages.
func (e *extension) ExtensionEquals(o arrow.ExtensionType) bool {
	return o.ExtensionName() == e.name && arrow.TypeEqual(o.StorageType(), e.Storage)
}

// Serialize returns the parameters of the type; there are none.
func (*extension) Serialize() string { return "" }

// Deserialize makes the type over a storage.
func (e *extension) Deserialize(storage arrow.DataType, _ string) (arrow.ExtensionType, error) {
	return &extension{arrow.ExtensionBase{Storage: storage}, e.name}, nil
}

// extensionOf takes an extension off a field: its name, "" for none, and the storage type. Whether the Arrow library knows the extension
// decides only where the name stands.
func extensionOf(f arrow.Field) (name string, storage arrow.DataType) {
	if e, ok := f.Type.(arrow.ExtensionType); ok {
		return e.ExtensionName(), e.StorageType()
	}
	name, _ = f.Metadata.GetValue(extensionNameKey)
	return name, f.Type
}
