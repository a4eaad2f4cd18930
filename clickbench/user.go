package clickbench

import "strconv"

// Shares of values among users, from the real sample.
var (
	systems      = pairs(44, 5379, 2, 2040, 126, 614, 159, 301, 36, 217, 45, 175, 77, 165, 74, 162, 1, 155, 12, 56, 98, 55, 67, 53, 0, 20)
	agents       = pairs(5, 3753, 2, 1527, 3, 1296, 88, 933, 7, 706, 1, 419, 32, 300, 46, 258, 82, 219, 4, 90, 62, 26, 56, 18)
	agentMajors  = pairs(31, 3417, 10, 1479, 17, 1112, 1, 931, 12, 410, 5, 309, 7, 267, 4, 263, 22, 220, 15, 192, 13, 165, 6, 150)
	widths       = pairs(1368, 2951, 1638, 1636, 1917, 1083, 1996, 956, 0, 900, 1750, 541, 1087, 477, 582, 266, 1828, 254, 1990, 148, 508, 144, 2038, 97, 184, 92)
	heights      = pairs(554, 3933, 938, 1001, 1781, 934, 1658, 878, 777, 743, 0, 700, 1126, 254, 879, 245, 788, 197, 730, 160, 686, 133, 368, 112, 636, 70)
	depths       = pairs(37, 7195, 23, 1862, 0, 430, 22, 93)
	flashMajors  = pairs(15, 7839, 0, 1241, 14, 492, 12, 4, 5, 4)
	flashMinors  = pairs(13, 3927, 7, 3141, 0, 137, 1, 427, 2, 241, 4, 154, 5, 142, 3, 131, 6, 39)
	netMajors    = pairs(0, 9385, 2, 157, 1, 20, 3, 16, 5, 2)
	zones        = pairs(135, 4376, 243, 4145, 433, 462, 65, 167, -1, 88, 322, 86, -322, 84, 397, 58, 683, 36, 291, 35, -683, 11, 231, 10)
	silverlights = pairs(4, 3363, 7, 499, 5, 120, 3, 40, 2, 12)
	ages         = pairs(0, 3396, 31, 3170, 28, 1254, 50, 656, 55, 567, 22, 537)
	sexes        = pairs(1, 4187, 0, 3372, 2, 2021)
	incomes      = pairs(2, 4719, 0, 3495, 3, 1182, 1, 184)

	silverlightBuilds = choose(choice[int32]{31337, 2070}, choice[int32]{15738, 715}, choice[int32]{16561, 309}, choice[int32]{46077, 264},
		choice[int32]{60817, 193}, choice[int32]{9577, 178}, choice[int32]{65059, 122}, choice[int32]{56161, 43}, choice[int32]{38162, 34})
	flashMinors2 = choose(choice[string]{"800", 4078}, choice[string]{"700", 3008}, choice[string]{"800.94", 279}, choice[string]{"700.2249", 219},
		choice[string]{"102", 165}, choice[string]{"202", 109}, choice[string]{"700.224", 93}, choice[string]{"502", 90}, choice[string]{"1115", 42})
	agentMinors = choose(choice[string]{"D\ufffd", 6423}, choice[string]{"4\ufffd", 912}, choice[string]{"wR", 729}, choice[string]{"p\\r", 271},
		choice[string]{"nA", 270}, choice[string]{"C\ufffd", 194}, choice[string]{"gB", 122}, choice[string]{"Av", 120}, choice[string]{"Z&", 112}, choice[string]{"1\x01", 37})
	languages = choose(choice[string]{"S0", 8762}, choice[string]{"QJ", 520}, choice[string]{"E3", 270}, choice[string]{"\ufffd", 25}, choice[string]{"2Z", 3})
	countries = choose(choice[string]{"\ufffd\\f", 7287}, choice[string]{"h1", 2007}, choice[string]{"_i", 220}, choice[string]{"zS", 60}, choice[string]{"UA", 3})

	regionHeads = choose(regions...)
	phoneHeads  = choose(append(phones, choice[phone]{phone{6, "iPhone"}, 17_600}, choice[phone]{phone{}, unnamedPhones})...)
)

// pairs makes choices out of values followed by their shares.
func pairs(list ...float64) choices[int16] {
	var out []choice[int16]
	for i := 0; i < len(list); i += 2 {
		out = append(out, choice[int16]{int16(list[i]), list[i+1]})
	}
	return choose(out...)
}

// phone is the number of a maker and a model.
type phone struct {
	maker int16
	model string
}

// unnamedPhones are users whose model is none of the published ones.
const unnamedPhones = 60_000

// userNumbers are 5 % steps of the user numbers in the real sample, moved so that they average 2.53e18 as query 3 says.
var userNumbers = [...]float64{
	-9.17e18, 0.03e18, 0.17e18, 0.55e18, 0.87e18, 1.03e18, 1.19e18, 1.34e18, 1.5e18, 1.67e18, 1.83e18,
	1.99e18, 2.28e18, 2.76e18, 3.26e18, 3.79e18, 4.72e18, 5.87e18, 6.74e18, 7.9e18, 9.22e18,
}

// user is who sent a hit: all that stays the same from hit to hit.
type user struct {
	id, cookie     int64
	ip, remote     int32
	network        int32
	region         int32
	silent         bool // never searches
	small          [columnCount]int16
	silverlight    int32
	flash, agent   string
	language       string
	country, model string
}

// smallOfUser are the columns that user.small holds.
var smallOfUser = []int{
	colJavaEnable, colOS, colUserAgent, colResolutionWidth, colResolutionHeight, colResolutionDepth, colFlashMajor, colFlashMinor, colNetMajor,
	colNetMinor, colUserAgentMajor, colCookieEnable, colJavascriptEnable, colIsMobile, colMobilePhone, colWindowClientWidth,
	colWindowClientHeight, colClientTimeZone, colSilverlightVersion1, colSilverlightVersion2, colAge, colSex, colIncome, colInterests, colRobotness,
}

// user fills u with the user of a rank; small ranks are the most frequent.
func (g *Generator) user(u *user, rank int) {
	r := stream(g.seed, uint64(rank)+1<<40)
	*u = user{id: userNumber(&r), silent: r.chance(0.35)}
	if u.cookie = int64(r.next() >> 1); r.chance(0.19) {
		u.cookie = 0
	}
	g.address(u, &r)
	u.device(&r)
	s := &u.small
	s[colAge], s[colSex], s[colIncome] = ages.draw(&r), sexes.draw(&r), incomes.draw(&r)
	if r.chance(0.51) {
		s[colInterests] = int16(r.length(1, 1400))
		if r.chance(0.4) {
			s[colInterests] = int16(r.between(1, 99))
		}
	}
	if r.chance(0.27) {
		s[colRobotness] = int16(r.between(1, 251))
	}
	u.language, u.country = languages.draw(&r), countries.draw(&r)
}

// userNumber draws an id by the steps of userNumbers.
func userNumber(r *random) int64 {
	step := r.below(len(userNumbers) - 1)
	from, to := userNumbers[step], userNumbers[step+1]
	return int64(from+float64(r.unit()*(to-from)))&^1023 | int64(r.below(1024))
}

// address gives the user an address, which many may share, and what hangs on it.
func (g *Generator) address(u *user, r *random) {
	a := stream(g.seed, uint64(g.addresses.draw(r))+1<<41)
	u.ip, u.remote, u.network = int32(a.next()), int32(a.next()), int32(a.length(1, 1_900_000))
	if a.chance(regionsTail) {
		u.region = int32(tailRegions.draw(&a) + 300)
	} else {
		u.region = regionHeads.draw(&a)
	}
}

// regionsTail is the share of rows whose region is none of the frequent ones.
const regionsTail = 0.526

var tailRegions = newSkew(9000, 0.011)

// device fills what the browser tells.
func (u *user) device(r *random) {
	s := &u.small
	s[colJavaEnable] = bit(r.chance(0.69))
	s[colOS], s[colUserAgent], s[colUserAgentMajor] = systems.draw(r), agents.draw(r), agentMajors.draw(r)
	if s[colResolutionWidth] = widths.draw(r); s[colResolutionWidth] == 0 {
		s[colResolutionWidth] = int16(r.between(330, 2030))
	}
	if s[colResolutionHeight] = heights.draw(r); s[colResolutionHeight] == 0 {
		s[colResolutionHeight] = int16(r.between(300, 2200))
	}
	s[colResolutionDepth] = depths.draw(r)
	if s[colFlashMajor] = flashMajors.draw(r); s[colFlashMajor] > 0 {
		s[colFlashMinor], u.flash = flashMinors.draw(r), flashMinors2.draw(r)
	}
	if s[colNetMajor] = netMajors.draw(r); s[colNetMajor] > 0 {
		s[colNetMinor] = int16(r.between(0, 7))
	}
	s[colCookieEnable], s[colJavascriptEnable] = bit(r.chance(0.999)), bit(r.chance(0.999))
	s[colWindowClientWidth] = min(s[colResolutionWidth], int16(r.between(300, 2000)))
	if r.chance(0.4) {
		s[colWindowClientWidth] = s[colResolutionWidth] - int16(r.below(20))
	}
	s[colWindowClientHeight] = int16(300 + r.length(0, 400))
	s[colClientTimeZone] = zones.draw(r)
	if r.chance(0.42) {
		s[colSilverlightVersion1], s[colSilverlightVersion2], u.silverlight = silverlights.draw(r), bit(r.chance(0.82)), silverlightBuilds.draw(r)
	}
	u.agent = agentMinors.draw(r)
	u.phone(r)
}

// phone decides whether the user browses on one.
func (u *user) phone(r *random) {
	named := 0.0
	for _, p := range phones {
		named += p.share
	}
	s := &u.small
	switch x := r.unit(); {
	case x < (named+17_600+unnamedPhones)/distinctUsers:
		p := phoneHeads.draw(r)
		if p.model == "" {
			n := unnamedModels.draw(r)
			p = phone{int16(n%120 + 1), latin[n%len(latin)] + " " + strconv.Itoa(n)}
		}
		s[colMobilePhone], u.model, s[colIsMobile] = p.maker, p.model, 1
	case x < 0.10:
		s[colMobilePhone], s[colIsMobile] = int16(r.between(1, 118)), 1
	case x < 0.125:
		s[colIsMobile] = 1
	}
}

var unnamedModels = newSkew(160, 0.02)

func bit(b bool) int16 {
	if b {
		return 1
	}
	return 0
}
