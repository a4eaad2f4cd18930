package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// Measures of the chart, in pixels.
const (
	chartWidth  = 900
	chartLeft   = 60
	chartTop    = 50
	chartBar    = 7
	chartGap    = 6
	chartLowest = 1e-4 // seconds at the left edge
)

// chartColours are those of the engines in their order.
var chartColours = [...]string{"#2b6cb0", "#d69e2e", "#c53030", "#38a169"}

// chart draws the best hot times of a part as an SVG picture: a group of bars per query on a logarithmic axis.
func chart(p *partResult) string {
	queries := queryNumbers(p.Engines[0])
	group := len(p.Engines)*chartBar + chartGap
	height := chartTop + len(queries)*group + 30
	longest := 10 * chartLowest
	for _, e := range p.Engines {
		for _, q := range e.Queries {
			longest = max(longest, q.best())
		}
	}
	scale := (chartWidth - chartLeft - 60) / math.Log10(longest/chartLowest)
	x := func(seconds float64) float64 {
		return chartLeft + scale*math.Log10(max(seconds, chartLowest)/chartLowest)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="10">`+"\n", chartWidth, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/><text x="%d" y="16" font-size="13">%s, %d rows: best hot time</text>`+"\n", chartLeft, html.EscapeString(p.Part), p.Rows)
	for i, e := range p.Engines {
		at := chartLeft + i*110
		fmt.Fprintf(&b, `<rect x="%d" y="24" width="10" height="10" fill="%s"/><text x="%d" y="33">%s</text>`+"\n", at, chartColours[i%len(chartColours)], at+14, html.EscapeString(e.Engine))
	}
	for t := chartLowest; t <= longest; t *= 10 {
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#ddd"/><text x="%.1f" y="%d">%g ms</text>`+"\n", x(t), chartTop-6, x(t), height-20, x(t), height-8, t*1e3)
	}
	for i, q := range queries {
		top := chartTop + i*group
		fmt.Fprintf(&b, `<text x="20" y="%d">Q%02d</text>`+"\n", top+group/2, q)
		for j, e := range p.Engines {
			r := e.Queries[q]
			if r == nil || r.Error != "" || len(r.Hot) == 0 {
				continue
			}
			end := max(x(r.best()), chartLeft+1)
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"><title>%s Q%02d: %.2f ms</title></rect>`+"\n",
				chartLeft, top+j*chartBar, end-chartLeft, chartBar-1, chartColours[j%len(chartColours)], html.EscapeString(e.Engine), q, r.best()*1e3)
		}
	}
	return b.String() + "</svg>\n"
}
