package variant

// Value writes a value that refers to another dictionary as the next value of the row begun, at any depth. Parts that cannot be read
// become JSON null.
func (b *BatchBuilder) Value(meta, value []byte) { b.lastTranslated.write(&b.encoder, meta, value) }
