package clickbench

// The columns of the table in its order.
const (
	colWatchID = iota
	colJavaEnable
	colTitle
	colGoodEvent
	colEventTime
	colEventDate
	colCounterID
	colClientIP
	colRegionID
	colUserID
	colCounterClass
	colOS
	colUserAgent
	colURL
	colReferer
	colIsRefresh
	colRefererCategoryID
	colRefererRegionID
	colURLCategoryID
	colURLRegionID
	colResolutionWidth
	colResolutionHeight
	colResolutionDepth
	colFlashMajor
	colFlashMinor
	colFlashMinor2
	colNetMajor
	colNetMinor
	colUserAgentMajor
	colUserAgentMinor
	colCookieEnable
	colJavascriptEnable
	colIsMobile
	colMobilePhone
	colMobilePhoneModel
	colParams
	colIPNetworkID
	colTraficSourceID
	colSearchEngineID
	colSearchPhrase
	colAdvEngineID
	colIsArtifical
	colWindowClientWidth
	colWindowClientHeight
	colClientTimeZone
	colClientEventTime
	colSilverlightVersion1
	colSilverlightVersion2
	colSilverlightVersion3
	colSilverlightVersion4
	colPageCharset
	colCodeVersion
	colIsLink
	colIsDownload
	colIsNotBounce
	colFUniqID
	colOriginalURL
	colHID
	colIsOldCounter
	colIsEvent
	colIsParameter
	colDontCountHits
	colWithHash
	colHitColor
	colLocalEventTime
	colAge
	colSex
	colIncome
	colInterests
	colRobotness
	colRemoteIP
	colWindowName
	colOpenerName
	colHistoryLength
	colBrowserLanguage
	colBrowserCountry
	colSocialNetwork
	colSocialAction
	colHTTPError
	colSendTiming
	colDNSTiming
	colConnectTiming
	colResponseStartTiming
	colResponseEndTiming
	colFetchTiming
	colSocialSourceNetworkID
	colSocialSourcePage
	colParamPrice
	colParamOrderID
	colParamCurrency
	colParamCurrencyID
	colOpenstatServiceName
	colOpenstatCampaignID
	colOpenstatAdID
	colOpenstatSourceID
	colUTMSource
	colUTMMedium
	colUTMCampaign
	colUTMContent
	colUTMTerm
	colFromTag
	colHasGCLID
	colRefererHash
	colURLHash
	colCLID
	columnCount
)

// columns are the names and types of the table; column i of it is columns[i].
var columns = [columnCount]column{
	{"WatchID", bigint},
	{"JavaEnable", smallint},
	{"Title", text},
	{"GoodEvent", smallint},
	{"EventTime", datetime},
	{"EventDate", date},
	{"CounterID", integer},
	{"ClientIP", integer},
	{"RegionID", integer},
	{"UserID", bigint},
	{"CounterClass", smallint},
	{"OS", smallint},
	{"UserAgent", smallint},
	{"URL", text},
	{"Referer", text},
	{"IsRefresh", smallint},
	{"RefererCategoryID", smallint},
	{"RefererRegionID", integer},
	{"URLCategoryID", smallint},
	{"URLRegionID", integer},
	{"ResolutionWidth", smallint},
	{"ResolutionHeight", smallint},
	{"ResolutionDepth", smallint},
	{"FlashMajor", smallint},
	{"FlashMinor", smallint},
	{"FlashMinor2", text},
	{"NetMajor", smallint},
	{"NetMinor", smallint},
	{"UserAgentMajor", smallint},
	{"UserAgentMinor", text255},
	{"CookieEnable", smallint},
	{"JavascriptEnable", smallint},
	{"IsMobile", smallint},
	{"MobilePhone", smallint},
	{"MobilePhoneModel", text},
	{"Params", text},
	{"IPNetworkID", integer},
	{"TraficSourceID", smallint},
	{"SearchEngineID", smallint},
	{"SearchPhrase", text},
	{"AdvEngineID", smallint},
	{"IsArtifical", smallint},
	{"WindowClientWidth", smallint},
	{"WindowClientHeight", smallint},
	{"ClientTimeZone", smallint},
	{"ClientEventTime", datetime},
	{"SilverlightVersion1", smallint},
	{"SilverlightVersion2", smallint},
	{"SilverlightVersion3", integer},
	{"SilverlightVersion4", smallint},
	{"PageCharset", text},
	{"CodeVersion", integer},
	{"IsLink", smallint},
	{"IsDownload", smallint},
	{"IsNotBounce", smallint},
	{"FUniqID", bigint},
	{"OriginalURL", text},
	{"HID", integer},
	{"IsOldCounter", smallint},
	{"IsEvent", smallint},
	{"IsParameter", smallint},
	{"DontCountHits", smallint},
	{"WithHash", smallint},
	{"HitColor", char1},
	{"LocalEventTime", datetime},
	{"Age", smallint},
	{"Sex", smallint},
	{"Income", smallint},
	{"Interests", smallint},
	{"Robotness", smallint},
	{"RemoteIP", integer},
	{"WindowName", integer},
	{"OpenerName", integer},
	{"HistoryLength", smallint},
	{"BrowserLanguage", text},
	{"BrowserCountry", text},
	{"SocialNetwork", text},
	{"SocialAction", text},
	{"HTTPError", smallint},
	{"SendTiming", integer},
	{"DNSTiming", integer},
	{"ConnectTiming", integer},
	{"ResponseStartTiming", integer},
	{"ResponseEndTiming", integer},
	{"FetchTiming", integer},
	{"SocialSourceNetworkID", smallint},
	{"SocialSourcePage", text},
	{"ParamPrice", bigint},
	{"ParamOrderID", text},
	{"ParamCurrency", text},
	{"ParamCurrencyID", smallint},
	{"OpenstatServiceName", text},
	{"OpenstatCampaignID", text},
	{"OpenstatAdID", text},
	{"OpenstatSourceID", text},
	{"UTMSource", text},
	{"UTMMedium", text},
	{"UTMCampaign", text},
	{"UTMContent", text},
	{"UTMTerm", text},
	{"FromTag", text},
	{"HasGCLID", smallint},
	{"RefererHash", bigint},
	{"URLHash", bigint},
	{"CLID", integer},
}
