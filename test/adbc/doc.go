// Package adbc runs the validation suite of ADBC's Go driver manager against the server binary, through ADBC's Flight SQL driver.
// It is a module of its own: the driver and the packages of the server both register a database/sql driver named flightsql.
package adbc
