package clickbench

import (
	"strconv"

	"github.com/ebira-db/ebira/vec"
)

// block is a block in the making: its columns, and the stream that its rows are drawn from.
type block struct {
	g    *Generator
	r    random
	from uint64
	n    int

	small [columnCount][]int16
	ints  [columnCount][]int32
	longs [columnCount][]int64
	views [columnCount][]vec.View
	bytes [columnCount][]byte

	searching bool // the next row is a search, if its user searches at all
	buf       []byte
}

func newBlock(g *Generator, from uint64, n int) *block {
	b := &block{g: g, r: stream(g.seed, from+1<<42), from: from, n: n}
	for i, c := range columns {
		switch c.kind {
		case smallint:
			b.small[i] = make([]int16, n)
		case integer, date:
			b.ints[i] = make([]int32, n)
		case bigint, datetime:
			b.longs[i] = make([]int64, n)
		default:
			b.views[i] = make([]vec.View, n)
		}
	}
	return b
}

// batch returns the columns as a batch.
func (b *block) batch() *vec.Batch {
	out := &vec.Batch{Len: b.n}
	for i, c := range columns {
		t := kinds[c.kind].t
		switch c.kind {
		case smallint:
			out.Cols = append(out.Cols, vec.NewFlat(t, b.small[i], nil))
		case integer, date:
			out.Cols = append(out.Cols, vec.NewFlat(t, b.ints[i], nil))
		case bigint, datetime:
			out.Cols = append(out.Cols, vec.NewFlat(t, b.longs[i], nil))
		default:
			v := vec.NewFlat(t, b.views[i], nil)
			v.Bufs = [][]byte{b.bytes[i]}
			out.Cols = append(out.Cols, v)
		}
	}
	return out
}

// text returns the view of a text in a column, which put gives to rows.
func (b *block) text(col int, s []byte) vec.View {
	off := len(b.bytes[col])
	v := vec.MakeView(s, 0, off)
	if !v.Inline() {
		b.bytes[col] = append(b.bytes[col], s...)
	}
	return v
}

// visit fills rows [at, end) with the hits of a user on the pages of a counter.
func (b *block) visit(u *user, counterAt int, day int32, at, end int) {
	c := &b.g.counters[counterAt]
	for _, col := range smallOfUser {
		fill(b.small[col][at:end], u.small[col])
	}
	fill(b.ints[colCounterID][at:end], c.id)
	fill(b.ints[colEventDate][at:end], day)
	fill(b.ints[colClientIP][at:end], u.ip)
	fill(b.ints[colRemoteIP][at:end], u.remote)
	fill(b.ints[colIPNetworkID][at:end], u.network)
	fill(b.ints[colRegionID][at:end], u.region)
	fill(b.ints[colSilverlightVersion3][at:end], u.silverlight)
	fill(b.longs[colUserID][at:end], u.id)
	fill(b.longs[colFUniqID][at:end], u.cookie)
	for _, t := range []struct {
		col int
		s   string
	}{{colFlashMinor2, u.flash}, {colUserAgentMinor, u.agent}, {colMobilePhoneModel, u.model}, {colBrowserLanguage, u.language}, {colBrowserCountry, u.country}} {
		b.fillText(t.col, at, end, t.s)
	}
	b.site(c, at, end)
	b.campaign(c, at, end)
	b.clock(day, at, end)
	b.hits(u, counterAt, at, end)
}

func fill[T any](rows []T, x T) {
	for i := range rows {
		rows[i] = x
	}
}

func (b *block) fillText(col, at, end int, s string) {
	if s != "" {
		b.buf = append(b.buf[:0], s...)
		fill(b.views[col][at:end], b.text(col, b.buf))
	}
}

// site fills what the pages of a counter have in common, and the constants of the table.
func (b *block) site(c *counter, at, end int) {
	h := mix(c.site)
	fill(b.small[colGoodEvent][at:end], 1)
	fill(b.small[colURLCategoryID][at:end], int16(h%14000))
	fill(b.ints[colURLRegionID][at:end], int32(h>>20%700))
	version := int32(1601)
	if h>>40%16 == 0 {
		version = int32(h>>44%1600 + 1)
	}
	fill(b.ints[colCodeVersion][at:end], version)
	fill(b.ints[colOpenerName][at:end], -1)
	charset := "windows"
	switch h >> 50 % 10 {
	case 0, 1:
		charset = "windows-1251;charset"
	case 2, 3, 4:
		charset = "utf-8"
	}
	b.fillText(colPageCharset, at, end, charset)
	b.fillText(colHitColor, at, end, []string{"5", "g", "5", "g", "6"}[h>>54%5])
	b.fillText(colParamCurrency, at, end, "NH\x1c")
}

// campaign fills the marks of the advertisement that led to a visit.
func (b *block) campaign(c *counter, at, end int) {
	r := &b.r
	if r.chance(0.07) {
		n := int(mix(c.site+3)%40) + r.below(5)
		b.fillText(colUTMSource, at, end, []string{"ad_cpamarketing", "ad_cpamarket", "y_direct", "ya_direct", latin[n%len(latin)]}[r.below(5)])
		b.fillText(colUTMMedium, at, end, []string{"look", "30533", "cpc", "Yandex_CPC", "banner"}[r.below(5)])
		b.fillText(colUTMCampaign, at, end, "ad_cpamarketing_"+latin[n]+"-"+latin[n*3%len(latin)])
		if r.chance(0.43) {
			b.buf = appendWords(b.buf[:0], r, r.length(3, 18), false)
			fill(b.views[colUTMTerm][at:end], b.text(colUTMTerm, b.buf))
		}
		if r.chance(0.02) {
			b.fillText(colUTMContent, at, end, latin[r.below(30)])
		}
	}
	if r.chance(0.0012) {
		b.fillText(colOpenstatServiceName, at, end, "direct.yandex.ru")
		b.fillText(colOpenstatCampaignID, at, end, strconv.Itoa(r.between(1_000_000, 9_999_999)))
		b.fillText(colOpenstatAdID, at, end, strconv.Itoa(r.between(1_000_000_000, 2_000_000_000)))
		b.fillText(colOpenstatSourceID, at, end, "yandex.ru:guarantee?")
	}
	if r.chance(0.002) {
		fill(b.small[colHasGCLID][at:end], 1)
	}
	if r.chance(0.02) {
		fill(b.small[colSocialSourceNetworkID][at:end], int16([]int{1, 1, 1, 1, 1, 1, 5}[r.below(7)]))
		b.fillText(colSocialSourcePage, at, end, "group/"+strconv.Itoa(r.length(1, 60_000)))
	}
}

// The clock of the table: days are Moscow's, times are UTC.
const (
	daySeconds    = 86400
	moscowSeconds = 4 * 3600
	micros        = 1_000_000
)

// hours are the hits by hour of a Moscow day.
var hours = pairs(21, 70, 22, 66, 20, 66, 12, 65, 13, 65, 14, 65, 15, 65, 11, 63, 16, 64, 19, 62, 17, 62, 18, 60, 10, 57, 23, 52, 9, 47, 8, 32, 0, 32, 1, 18, 7, 18, 2, 11, 6, 9, 3, 8, 5, 6, 4, 6)

// clock fills the times of a visit; seconds to minutes lie between its hits.
func (b *block) clock(day int32, at, end int) {
	r := &b.r
	midnight := int64(day)*daySeconds - moscowSeconds
	within := int(hours.draw(r))*3600 + r.below(3600)
	skewed := r.between(-7200, 7200)
	if r.chance(0.004) {
		skewed = r.between(-1_340_000_000, 62_000_000)
	}
	window, length := int32(-1), int16(-1)
	if r.chance(0.63) {
		window, length = int32(r.below(65536)), int16(r.length(0, 8))
	}
	for i := at; i < end; i++ {
		t := midnight + int64(min(within, daySeconds-1))
		b.longs[colEventTime][i] = t * micros
		b.longs[colClientEventTime][i] = (t + int64(skewed) + int64(r.below(30))) * micros
		b.longs[colLocalEventTime][i] = (midnight + int64(r.below(daySeconds))) * micros
		b.ints[colWindowName][i] = window
		b.small[colHistoryLength][i] = length
		if length >= 0 && length < 110 {
			length += int16(r.below(2))
		}
		within += 1 + r.length(0, 60)
	}
}
