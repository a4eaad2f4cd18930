package clickbench

// Heads of columns over the published table, with their rows out of fullRows: answers of the queries named.

// searchPhrases are the most frequent ones (query 12).
var searchPhrases = []choice[string]{
	{"карелки", 70263},
	{"албатрутдин", 34675},
	{"смотреть онлайн", 24580},
	{"смотреть онлайн бесплатно", 21647},
	{"смотреть", 19707},
	{"мангу в зарабей грама", 19195},
	{"дружке помещение", 17284},
	{"galaxy table", 16746},
	{"экзоидные", 16620},
	{"сколько мытищи", 12317},
}

// searchRows are the rows with a SearchPhrase; a search has so many rows on average, and so many rows lie between two searches.
const (
	searchRows   = 13_172_392
	searchRun    = 1.874
	searchPeriod = 12.355
)

// topUsers are the users with most rows (query 15).
var topUsers = []choice[int64]{
	{1313338681122956954, 29097},
	{1907779576417363396, 25333},
	{2305303682471783379, 10597},
	{7982623143712728547, 7584},
	{6018350421959114808, 6678},
	{7280399273658728997, 6411},
	{1090981537032625727, 6197},
	{5730251990344211405, 6019},
	{835157184735512989, 5211},
	{770542365400669095, 4906},
}

// rareUser has four rows, which query 19 finds.
const (
	rareUser     = 435090932899640449
	rareUserRows = 4
)

// topAddresses are the most frequent ClientIPs (query 35).
var topAddresses = []choice[int32]{
	{-39921974, 47008},
	{-1698104457, 29121},
	{-1175819552, 25333},
	{1696638182, 20220},
	{1138507705, 15778},
	{-927025522, 12768},
	{-1262139876, 11348},
	{1740861572, 11314},
	{-807147100, 9880},
	{-631062503, 9718},
}

// regions are the most frequent ones (queries 8 and 9).
var regions = []choice[int32]{
	{229, 18295832},
	{2, 6687587},
	{208, 4261812},
	{169, 3320229},
	{32, 1843518},
	{34, 1792369},
	{184, 1755192},
	{42, 1542717},
	{107, 1516690},
	{51, 1435578},
	{158, 1400000}, {55, 1350000},
}

// advEngines are the advertising engines (query 7), whose rows are advRows.
var advEngines = choose(
	choice[int16]{2, 404602},
	choice[int16]{27, 113167},
	choice[int16]{13, 45631},
	choice[int16]{45, 38960},
	choice[int16]{44, 9730},
	choice[int16]{3, 6896},
	choice[int16]{62, 5266},
	choice[int16]{52, 3554},
	choice[int16]{50, 938},
	choice[int16]{28, 836},
	choice[int16]{53, 350},
	choice[int16]{25, 343},
	choice[int16]{61, 158},
	choice[int16]{21, 38},
	choice[int16]{42, 20},
	choice[int16]{16, 7},
	choice[int16]{7, 3},
	choice[int16]{22, 1},
)

const advRows = 630_500

// phones are the models by users (queries 10 and 11), with the number of the maker.
var phones = []choice[phone]{
	{phone{1, "iPad"}, 931038},
	{phone{5, "iPad"}, 48385},
	{phone{6, "iPad"}, 29710},
	{phone{7, "iPad"}, 28391},
	{phone{118, "A500"}, 16005},
	{phone{6, "iPhone"}, 14516},
	{phone{26, "iPhone"}, 13566},
	{phone{10, "iPad"}, 11433},
	{phone{32, "iPad"}, 9503},
	{phone{13, "iPad"}, 9417},
	{phone{4, "N8-00"}, 5565},
	{phone{6, "iPho"}, 3300},
	{phone{70, "ONE TOUCH 6030A"}, 2759},
	{phone{19, "GT-P7300B"}, 1907},
	{phone{4, "3110000"}, 1871},
	{phone{19, "GT-I9500"}, 1598},
	{phone{31, "eagle75"}, 1492},
}

// distinctUsers are the users of the published table, of which a part has a phone with a name.
const distinctUsers = 17_630_976

// refererSites are the sites of the most frequent Referers with their rows and average length (query 28).
var refererSites = []struct {
	name  string
	rows  int
	bytes int
}{
	{"svpressa.ru", 242465, 308},
	{"msuzie-showforumdisplay", 183636, 263},
	{"saint-peters-total=меньше 80", 200501, 243},
	{"domics", 326080, 213},
	{"e96.ru", 1018998, 210},
	{"gadgets.irr.ru", 349675, 132},
	{"google.ru", 2158346, 109},
	{"go.mail", 8227493, 109},
	{"msouz.ru", 301765, 106},
	{"state=19945206", 512409, 106},
	{"loveplanet.ru", 461134, 105},
	{"bonprix.ru", 1125057, 104},
	{"novjob.ru", 133049, 97},
	{"cn.ru", 124674, 96},
	{"geomethiettai.ru", 115906, 95},
	{"kino", 120135, 90},
	{"yaroslavens.ru", 124595, 90},
	{"mysw.info", 984546, 90},
	{"m.myloveplanet.ru", 151544, 89},
	{"povarenok.ru", 144811, 84},
	{"gorod", 110728, 80},
	{"yandsearch", 245934, 80},
	{"myloveplanet.ru", 110582, 80},
	{"tambov.irr.ru", 315318, 78},
	{"kurortmag.ru", 155263, 76},
}

// irrURLs and irrTitles are the most frequent ones of counter 62 (queries 36 and 37), out of irrRows.
var irrURLs = []choice[string]{
	{"http://irr.ru/index.php?showalbum/login-leniya7777294,938303130", 102341},
	{"http://komme%2F27.0.1453.116", 51218},
	{"http://irr.ru/index.php?showalbum/login-kapusta-advert2668]=0&order_by=0", 18315},
	{"http://irr.ru/index.php?showalbum/login-kapustic/product_name", 16461},
	{"http://irr.ru/index.php", 12577},
	{"http://irr.ru/index.php?showalbum/login", 10880},
	{"http://komme%2F27.0.1453.116 Safari%2F5.0 (compatible; MSIE 9.0;", 7627},
	{"http://irr.ru/index.php?showalbum/login-kupalnik", 4369},
	{"http://irr.ru/index.php?showalbum/login-kapusta-advert27256.html_params", 4058},
	{"http://komme%2F27.0.1453.116 Safari", 3021},
}

var irrTitles = []choice[string]{
	{"Тест (Россия) - Яндекс", 122407},
	{"Шарарай), Выбрать! - обсуждаются на голд: Шоубиз - Свободная историс", 82935},
	{"Приморск - IRR.ru", 80958},
	{"Брюки New Era H (Асус) 258 общая выплаток, горшечными", 39098},
	{"Теплоску на", 23123},
	{"Dave and Hotpoint sport – самые вещие", 14329},
	{"AUTO.ria.ua ™ - Аппер", 14053},
	{"Приморск (Россия) - Яндекс.Видео", 13912},
	{"OWAProfessign), продать", 10919},
	{"Труси - Шоубиз", 10157},
}

const irrRows = 738_150

// Hashes that queries 40 and 41 look for, and the texts that have them here; emptyHash is the hash of no Referer.
const (
	irrReferer     = "http://irr.ru/index.php?showalbum/login"
	irrRefererHash = 3594120000172545465
	irrRefererPart = 0.12
	irrURLHash     = 2868770270353813622
	emptyHash      = -296158784638538920
)

// Shares of rows that hold these texts (queries 20 and 22).
const (
	googleURLs   = 15_911.0 / fullRows
	googleTitles = 0.0006
)
