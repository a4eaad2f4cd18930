package clickbench

import (
	"cmp"
	"math"
	"slices"
)

// The days of the table, as days since 1970-01-01.
const (
	firstDay = 15888 // 2013-07-02
	lastDay  = 15917 // 2013-07-31
)

// counter is a web site whose pages are counted.
type counter struct {
	id       int32
	share    float64 // of all rows
	urlBytes int     // average length of its URLs
	// pathBytes is the average length that pages other than home need behind the site.
	pathBytes int
	days      [3]int32
	upTo      [3]float64 // cumulative shares of the days
	home      string     // the most frequent page; empty means made up
	homePart  float64    // its share of the counter's rows
	site      uint64     // seeds the texts
}

// bigCounters are the counters whose rows and average URL length query 27 publishes. Counter 62 has 93; its other URLs make up for the
// short ones in irrURLs.
var bigCounters = []struct {
	id       int32
	rows     int
	urlBytes int
}{
	{233773, 2938865, 469}, {245438, 2510103, 272}, {122612, 3574007, 239}, {234004, 238660, 204}, {1634, 323229, 198}, {786, 120528, 187},
	{114157, 216408, 143}, {515, 146907, 126}, {256004, 858171, 125}, {95427, 374306, 120}, {199550, 7115413, 110}, {220992, 494614, 106},
	{196239, 163797, 98}, {62, 738150, 115}, {96948, 396093, 93}, {188878, 311998, 92}, {249603, 120325, 92}, {3922, 8527069, 88},
	{191697, 124664, 87}, {97467, 131178, 84}, {186300, 802561, 84}, {146891, 605286, 78}, {38, 507770, 76}, {230962, 169223, 76},
	{77639, 253961, 75},
}

// fullRows is the size of the published table.
const fullRows = 99_997_497

// homePages are the ten most frequent URLs with their rows (query 33), and counters to hold them. Where the counter is not one of
// bigCounters it is made up, with so many rows that the page has a bit less than half of them.
var homePages = []struct {
	url     string
	rows    int
	counter int32
}{
	{"http://liver.ru/belgorod/page/1006.jки/доп_приборы", 3288173, 3922}, {"http://kinopoisk.ru", 1625250, 199550},
	{"http://bdsm_po_yers=0&with_video", 791465, 71921}, {"http://video.yandex", 582400, 152220}, {"http://smeshariki.ru/region", 514984, 110090},
	{"http://auto_fiat_dlya-bluzki%2F8536.30.18&he=900&with", 507995, 26500}, {"http://liver.ru/place_rukodel=365115eb7bbb90", 359893, 178321},
	{"http://kinopoisk.ru/vladimir.irr.ru", 354690, 59041}, {"http://video.yandex.ru/search/?jenre=50&s_yers", 318979, 203418},
	{"http://tienskaia-moda", 289355, 140077},
}

const (
	madeUpShare   = 2.3  // of a made-up counter's rows to those of its home page
	smallCounters = 6475 // counters without a published figure
	counterLimit  = 262144
	irrCounter    = 62 // queries 36 to 42 read this counter
	irrDay        = 15901
)

// makeCounters returns the counters sorted by id, with shares that add up to 1.
func makeCounters() []counter {
	var out []counter
	taken := map[int32]bool{}
	rest := 1.0
	add := func(id int32, share float64, urlBytes int) *counter {
		taken[id] = true
		rest -= share
		out = append(out, counter{id: id, share: share, urlBytes: urlBytes, site: mix(uint64(id) + 77)})
		return &out[len(out)-1]
	}
	for _, c := range bigCounters {
		add(c.id, float64(c.rows)/fullRows, c.urlBytes)
	}
	for _, h := range homePages {
		i := slices.IndexFunc(out, func(c counter) bool { return c.id == h.counter })
		if i < 0 {
			add(h.counter, float64(madeUpShare*float64(h.rows))/fullRows, 62)
			i = len(out) - 1
		}
		out[i].home, out[i].homePart = h.url, float64(h.rows)/float64(out[i].share*fullRows)
	}
	left := rest
	r := stream(4, 2)
	for i := range smallCounters {
		id := int32(r.between(1, counterLimit))
		for taken[id] {
			id = int32(r.between(1, counterLimit))
		}
		part := math.Sqrt(float64(i+1)/smallCounters) - math.Sqrt(float64(i)/smallCounters)
		// The large ones among them have URLs shorter than the shortest of query 27.
		urlBytes := r.between(42, 74)
		if i > 200 {
			urlBytes = r.between(42, 150)
		}
		add(id, float64(left*part), urlBytes)
	}
	for i := range out {
		out[i].finish()
	}
	slices.SortFunc(out, func(a, b counter) int { return cmp.Compare(a.id, b.id) })
	return out
}

// finish chooses the days: the table has most counters on one day, some on two or three. Counter 62 has the one of query 42.
func (c *counter) finish() {
	r := stream(uint64(c.id), 9)
	day := func() int32 { return int32(r.between(firstDay, lastDay)) }
	c.days = [3]int32{day(), day(), day()}
	c.upTo = [3]float64{0.75, 0.95, 1}
	slices.Sort(c.days[:])
	if c.id == irrCounter {
		c.days, c.upTo = [3]int32{irrDay, irrDay + 6, lastDay}, [3]float64{0.99, 0.995, 1}
	}
	if c.home == "" && c.id != irrCounter {
		c.homePart = 0.1
	}
	home := len(c.home)
	if home == 0 {
		home = siteBytes
	}
	c.pathBytes = max(int((float64(c.urlBytes)-float64(c.homePart*float64(home)))/(1-c.homePart))-siteBytes, 8)
}
