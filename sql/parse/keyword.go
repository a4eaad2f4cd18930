package parse

// keyword numbers the words that the query and expression grammar asks for often. Words that only occur at fixed places of
// other statements have no number; the parser compares their text.
type keyword uint8

// The numbered words. Words up to lastReserved can be names only in quotes. Words from there to lastNoAlias can be names, but
// not an alias without AS, because they may continue the clause in front of them.
const (
	kwNone keyword = iota
	kwAll
	kwAnd
	kwAs
	kwAsc
	kwBetween
	kwBy
	kwCase
	kwCreate
	kwCross
	kwDefault
	kwDesc
	kwDistinct
	kwElse
	kwEnd
	kwExcept
	kwExists
	kwFalse
	kwFrom
	kwFull
	kwGroup
	kwHaving
	kwIn
	kwInner
	kwIntersect
	kwInto
	kwIs
	kwJoin
	kwLateral
	kwLeft
	kwLike
	kwLimit
	kwNatural
	kwNot
	kwNull
	kwOn
	kwOr
	kwOrder
	kwRight
	kwSelect
	kwThen
	kwTrue
	kwUnion
	kwUsing
	kwWhen
	kwWhere
	kwWith
	lastReserved

	kwAnti
	kwAt
	kwCollate
	kwDiv
	kwEscape
	kwFetch
	kwFor
	kwILike
	kwMatch
	kwMatchAll
	kwMatchAny
	kwMatchPhrase
	kwMatchPhraseEdge
	kwMatchPhrasePrefix
	kwMatchRegexp
	kwMinus
	kwOffset
	kwPartition
	kwPivot
	kwQualify
	kwRegexp
	kwRLike
	kwSemi
	kwSeparator
	kwSet
	kwTablesample
	kwUnpivot
	kwValues
	kwWindow
	lastNoAlias

	kwAny
	kwArray
	kwCast
	kwCurrentDate
	kwCurrentTime
	kwCurrentTimestamp
	kwCurrentUser
	kwDate
	kwDatetime
	kwDatetimeV2
	kwDateV2
	kwExclude
	kwExtract
	kwFilter
	kwInterval
	kwLocaltime
	kwLocaltimestamp
	kwNulls
	kwOver
	kwPosition
	kwRow
	kwSessionUser
	kwSome
	kwTime
	kwTimestamp
	kwTimestampTZ
	kwTrim
	kwTryCast
	kwWithin
	numKeywords
)

// keywordTexts are the lower-case spellings.
var keywordTexts = [numKeywords]string{
	kwAll: "all", kwAnd: "and", kwAs: "as", kwAsc: "asc", kwBetween: "between", kwBy: "by", kwCase: "case", kwCreate: "create",
	kwCross: "cross", kwDefault: "default", kwDesc: "desc", kwDistinct: "distinct", kwElse: "else", kwEnd: "end",
	kwExcept: "except", kwExists: "exists", kwFalse: "false", kwFrom: "from", kwFull: "full", kwGroup: "group",
	kwHaving: "having", kwIn: "in", kwInner: "inner", kwIntersect: "intersect", kwInto: "into", kwIs: "is", kwJoin: "join",
	kwLateral: "lateral", kwLeft: "left", kwLike: "like", kwLimit: "limit", kwNatural: "natural", kwNot: "not",
	kwNull: "null", kwOn: "on", kwOr: "or", kwOrder: "order", kwRight: "right", kwSelect: "select", kwThen: "then",
	kwTrue: "true", kwUnion: "union", kwUsing: "using", kwWhen: "when", kwWhere: "where", kwWith: "with",

	kwAnti: "anti", kwAt: "at", kwCollate: "collate", kwDiv: "div", kwEscape: "escape", kwFetch: "fetch", kwFor: "for",
	kwILike: "ilike", kwMatch: "match", kwMatchAll: "match_all", kwMatchAny: "match_any", kwMatchPhrase: "match_phrase",
	kwMatchPhraseEdge: "match_phrase_edge", kwMatchPhrasePrefix: "match_phrase_prefix", kwMatchRegexp: "match_regexp",
	kwMinus: "minus", kwOffset: "offset", kwPartition: "partition", kwPivot: "pivot", kwQualify: "qualify",
	kwRegexp: "regexp", kwRLike: "rlike", kwSemi: "semi", kwSeparator: "separator", kwSet: "set",
	kwTablesample: "tablesample", kwUnpivot: "unpivot", kwValues: "values", kwWindow: "window",

	kwAny: "any", kwArray: "array", kwCast: "cast", kwCurrentDate: "current_date", kwCurrentTime: "current_time",
	kwCurrentTimestamp: "current_timestamp", kwCurrentUser: "current_user", kwDate: "date", kwDatetime: "datetime",
	kwDatetimeV2: "datetimev2", kwDateV2: "datev2", kwExclude: "exclude", kwExtract: "extract", kwFilter: "filter",
	kwInterval: "interval", kwLocaltime: "localtime", kwLocaltimestamp: "localtimestamp", kwNulls: "nulls", kwOver: "over",
	kwPosition: "position", kwRow: "row", kwSessionUser: "session_user", kwSome: "some", kwTime: "time", kwTimestamp: "timestamp", kwTimestampTZ: "timestamptz", kwTrim: "trim",
	kwTryCast: "try_cast", kwWithin: "within",
}

// reserved tells that the word cannot be a name without quotes.
func (k keyword) reserved() bool { return k != kwNone && k < lastReserved }

// noAlias tells that the word cannot be an alias without AS.
func (k keyword) noAlias() bool { return k != kwNone && k < lastNoAlias }

// keywordSlots is a power of two well above numKeywords, so that probes are short.
const keywordSlots = 512

// keywordTable is an open-addressing hash table over folded spellings; a map lookup would cost as much as the rest of the lexer.
var keywordTable = buildKeywordTable()

func buildKeywordTable() *[keywordSlots]keyword {
	t := new([keywordSlots]keyword)
	for k, text := range keywordTexts {
		if text == "" {
			continue
		}
		h := uint32(0)
		for i := range len(text) {
			h = hashFolded(h, text[i])
		}
		slot := h % keywordSlots
		for t[slot] != kwNone {
			slot = (slot + 1) % keywordSlots
		}
		t[slot] = keyword(k)
	}
	return t
}

// hashFolded adds one byte of a word to its hash. Setting bit 5 folds letters and leaves digits; no two word bytes collide
// except letters that differ in case.
func hashFolded(h uint32, c byte) uint32 { return h*31 + uint32(c|0x20) }

// lookupKeyword returns the number of the word s, whose folded hash is h, or kwNone.
func lookupKeyword(s string, h uint32) keyword {
	for slot := h % keywordSlots; ; slot = (slot + 1) % keywordSlots {
		k := keywordTable[slot]
		if k == kwNone || equalFolded(s, keywordTexts[k]) {
			return k
		}
	}
}

// equalFolded compares a word of word bytes with a lower-case one. Bit 5 of '_' is set on both sides.
func equalFolded(s, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i := range len(s) {
		if s[i]|0x20 != lower[i]|0x20 {
			return false
		}
	}
	return true
}
