package clickbench

import (
	"github.com/ebira-db/ebira/vec"
)

// Sources of traffic.
const (
	fromInside = -1
	fromNobody = 0
	fromAds    = 2
	fromSearch = 3
)

var (
	sources       = pairs(fromInside, 5233, fromNobody, 1466, 1, 969, fromAds, 272, 11, 197, 5, 141, 4, 8, 6, 20)
	searchEngines = pairs(2, 774, 3, 355, 4, 76, 14, 54, 9, 11, 13, 6, 67, 6, 123, 5, 89, 3, 95, 2, 197, 1)
	phraseHeads   = choose(searchPhrases...)
	irrURLHeads   = choose(irrURLs...)
	irrTitleHeads = choose(irrTitles...)
	irrURLPart    = partOf(irrURLs)
	irrTitlePart  = partOf(irrTitles)
	refererHeads  = knownReferers()
)

func partOf(list []choice[string]) float64 {
	sum := 0.0
	for _, c := range list {
		sum += c.share
	}
	return sum / irrRows
}

func knownReferers() choices[int] {
	var list []choice[int]
	for i, s := range refererSites {
		list = append(list, choice[int]{i, float64(s.rows)})
	}
	return choose(list...)
}

// shown is the page of a hit: views into the columns URL, Title and Referer, and the hash of the URL.
type shown struct {
	url, title vec.View
	asReferer  []byte
	hash       int64
}

// hits fills what differs from hit to hit.
func (b *block) hits(u *user, counterAt, at, end int) {
	r := &b.r
	var page shown
	var phrase vec.View
	inSearch := false
	for i := at; i < end; i++ {
		b.numbers(i)
		again := i > at && r.chance(pagesAgain)
		referer := page.asReferer
		if !again {
			page = b.page(counterAt)
		}
		b.views[colURL][i], b.views[colTitle][i], b.longs[colURLHash][i] = page.url, page.title, page.hash
		b.small[colIsRefresh][i] = bit(again && r.chance(0.25))

		search := b.searching && !u.silent
		b.step(u)
		if search && !inSearch {
			phrase = b.phrase()
		}
		inSearch = search
		source := sources.draw(r)
		switch {
		case search:
			source = fromSearch
			b.views[colSearchPhrase][i] = phrase
			b.small[colSearchEngineID][i] = searchEngines.draw(r)
		case r.chance(advRows / float64(fullRows-searchRows)):
			source = fromAds
			b.small[colAdvEngineID][i] = advEngines.draw(r)
		}
		b.small[colTraficSourceID][i] = source
		b.referer(i, counterAt, source, referer)
	}
}

// step moves the chain of searches on by a row. Users who never search make the others search more, so that the share is as published.
func (b *block) step(u *user) {
	if u.silent {
		return
	}
	if b.searching {
		b.searching = b.r.chance(againSearch)
	} else {
		b.searching = b.r.chance(startSearch)
	}
}

// Probabilities that a row of a user who searches begins a search, and that the row behind one of a search is one too. They make the
// published runs out of visits that cut them.
const (
	startSearch = 0.1245
	againSearch = 0.505
)

// numbers fills the columns of a row that depend on nothing else.
func (b *block) numbers(i int) {
	r := &b.r
	row := b.from + uint64(i)
	b.longs[colWatchID][i] = int64(mix(row*2+b.g.seed)>>2 | 1<<62)
	if i > 0 && b.g.repeats(row) {
		b.longs[colWatchID][i], b.ints[colClientIP][i] = b.longs[colWatchID][i-1], b.ints[colClientIP][i-1]
	}
	b.ints[colHID][i] = int32(r.next() >> 34)
	x := r.next()
	if link := x&1023 < 27; link {
		b.small[colIsLink][i], b.small[colDontCountHits][i] = 1, 1
	}
	if x>>10&1023 < 11 {
		b.small[colIsDownload][i], b.small[colDontCountHits][i] = 1, 1
	}
	b.timings(i, x>>20)
	if r.chance(0.015) {
		b.buf = appendPath(appendSite(b.buf[:0], uint64(r.below(5000))), x, x>>32, r.length(10, 270))
		b.views[colOriginalURL][i] = b.text(colOriginalURL, b.buf)
	}
}

// timings fills how long the page took, in milliseconds; many browsers do not tell.
func (b *block) timings(i int, x uint64) {
	r := &b.r
	if x&1023 < 156 {
		b.ints[colDNSTiming][i] = int32(r.length(1, 120))
	}
	if x>>10&1023 < 160 {
		b.ints[colConnectTiming][i] = int32(r.length(1, 150))
	}
	if x>>20&1023 < 630 {
		b.ints[colResponseStartTiming][i], b.ints[colResponseEndTiming][i] = int32(r.length(1, 600)), int32(r.length(1, 400))
	}
	if x>>30&1023 < 384 {
		b.ints[colFetchTiming][i] = int32(r.length(1, 500))
	}
}

// page draws a page of a counter and writes its texts.
func (b *block) page(counterAt int) shown {
	r, c := &b.r, &b.g.counters[counterAt]
	var p shown
	key := uint64(0) // the home page
	switch {
	case c.id == irrCounter && r.chance(irrURLPart):
		b.buf = append(b.buf[:0], irrURLHeads.draw(r)...)
	case r.chance(c.homePart):
		b.buf = c.appendURL(b.buf[:0], 0)
	default:
		key = uint64(b.g.pages[counterAt].draw(r)) + 1
		b.buf = c.appendURL(b.buf[:0], key)
	}
	p.url, p.hash = b.text(colURL, b.buf), hashText(b.buf)
	p.asReferer = append(p.asReferer, b.buf...)
	if string(b.buf) == irrURLs[0].value {
		p.hash = irrURLHash
	}
	if c.id == irrCounter && r.chance(irrTitlePart) {
		b.buf = append(b.buf[:0], irrTitleHeads.draw(r)...)
	} else {
		b.buf = c.appendTitle(b.buf[:0], key)
	}
	p.title = b.text(colTitle, b.buf)
	return p
}

// appendURL appends the URL of a page; key 0 is the home page.
func (c *counter) appendURL(dst []byte, key uint64) []byte {
	if key == 0 && c.home != "" {
		return append(dst, c.home...)
	}
	at := len(dst)
	dst = appendSite(dst, c.site)
	if key == 0 {
		return append(dst, '/')
	}
	r := stream(c.site, key+1<<43)
	if r.chance(googleURLs / 0.8) {
		dst = append(dst, "/googleTBR%26ad"...)
	}
	bytes := r.length(8, c.pathBytes) - (len(dst) - at - siteBytes)
	return appendPath(dst, c.site, key, bytes)
}

// siteBytes is about the length of appendSite.
const siteBytes = 24

// appendTitle appends the title of a page; two pages share one.
func (c *counter) appendTitle(dst []byte, key uint64) []byte {
	r := stream(c.site, key/2+1<<44)
	if r.chance(0.011) {
		return dst
	}
	if r.chance(googleTitles) {
		dst = append(dst, "Google - "...)
	}
	return appendWords(dst, &r, r.length(11, 100), true)
}

// phrase draws what a user searches.
func (b *block) phrase() vec.View {
	r := &b.r
	if r.chance(b.g.topPhrase) {
		b.buf = append(b.buf[:0], phraseHeads.draw(r)...)
		return b.text(colSearchPhrase, b.buf)
	}
	key := uint64(b.g.phrases.draw(r))
	p := stream(key, 1<<45)
	b.buf = b.buf[:0]
	if p.below(1000) == 0 {
		b.buf = append(b.buf, ' ')
	}
	b.buf = appendWords(b.buf, &p, p.length(12, 25), false)
	b.buf = appendWords(append(b.buf, ' '), &p, p.length(6, 22), false)
	return b.text(colSearchPhrase, b.buf)
}

// referer fills the Referer of row i: nothing, a page of the same counter, or one of another site.
func (b *block) referer(i, counterAt int, source int16, before []byte) {
	r, c := &b.r, &b.g.counters[counterAt]
	b.longs[colRefererHash][i] = emptyHash
	switch {
	case source == fromNobody, source == 4, source == fromAds && r.chance(0.1):
		return
	case source != fromInside:
		b.buf = b.g.appendReferer(b.buf[:0], r)
	case c.id == irrCounter && r.chance(irrRefererPart/0.48):
		b.buf = append(b.buf[:0], irrReferer...)
	case before != nil:
		b.buf = append(b.buf[:0], before...)
	case r.chance(0.3):
		b.buf = c.appendURL(b.buf[:0], 0)
	default:
		b.buf = c.appendURL(b.buf[:0], uint64(b.g.pages[counterAt].draw(r))+1)
	}
	b.views[colReferer][i] = b.text(colReferer, b.buf)
	h := hashText(b.buf)
	if string(b.buf) == irrReferer {
		h = irrRefererHash
	}
	b.longs[colRefererHash][i] = h
	if site := mix(uint64(h)); site&255 < 215 {
		b.small[colRefererCategoryID][i], b.ints[colRefererRegionID][i] = int16(site>>8%16000), int32(site>>30%1000)
	}
}

// appendReferer appends a page of another site.
func (g *Generator) appendReferer(dst []byte, r *random) []byte {
	key := uint64(g.referers.draw(r))
	p := stream(key, 1<<46)
	if p.chance(refererKnown) {
		s := refererSites[refererHeads.draw(&p)]
		dst = append(append(dst, "http://"...), s.name...)
		return appendPath(dst, uint64(s.bytes), key, p.length(8, s.bytes-len(dst)))
	}
	site := uint64(g.sites.draw(&p)) + 1<<32
	dst = appendSite(dst, site)
	return appendPath(dst, site, key%(1+site&0xffff), p.length(8, 60))
}
