// Package httpsrv is the HTTP service: health for orchestrators and metrics for Prometheus.
// It knows the engine's figures but no SQL and no Flight.
// The handler is safe for concurrent use.
package httpsrv

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/ebira-db/ebira/session"
)

// New returns the handler: /health answers 200 while the engine can write and 503 with the reason otherwise, /metrics answers in
// Prometheus' text format. Neither shows data of tables.
func New(e *session.Engine, log *slog.Logger) http.Handler {
	reg := prometheus.NewRegistry()
	reg.MustRegister(collector{e})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		if err := e.Health(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		if _, err := w.Write([]byte("ok\n")); err != nil {
			log.Debug("health answer not sent", "error", err)
		}
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{}))
	return mux
}

// collector turns the engine's figures into Prometheus metrics at each scrape.
type collector struct{ e *session.Engine }

// Describe sends nothing: the metrics are unchecked, since their list is the engine's.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the present figures.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	for _, m := range c.e.Metrics() {
		kind := prometheus.GaugeValue
		if strings.HasSuffix(m.Name, "_total") {
			kind = prometheus.CounterValue
		}
		ch <- prometheus.MustNewConstMetric(prometheus.NewDesc(m.Name, m.Help, nil, nil), kind, m.Value)
	}
}
