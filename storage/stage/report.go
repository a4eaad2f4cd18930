package stage

// Report collects per file what a load saw.
type Report struct{}
