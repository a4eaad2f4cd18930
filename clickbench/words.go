package clickbench

import "strings"

// Words that texts are made of. None holds "google", which queries 20 to 23 look for.
var (
	russian = strings.Fields(`
год время дом город работа жизнь день рука вопрос лицо место друг голова вода земля дверь книга окно машина дорога любовь музыка фильм
погода новости карта цена купить продам квартира комната аренда дача участок ремонт мебель кухня диван кровать шкаф стол лампа обои плитка
краска доска окна двери забор крыша баня печь котел насос труба кабель розетка телефон ноутбук планшет камера принтер монитор наушники
игра игры онлайн бесплатно скачать смотреть сериал серия сезон мультик кино театр концерт билет афиша выставка музей парк отдых море
пляж отель тур поезд самолет рейс вокзал аэропорт такси автобус маршрут расписание метро станция улица площадь область район край
рецепт салат суп пирог торт блины борщ котлеты рыба мясо курица грибы овощи фрукты ягоды варенье чай кофе молоко сыр хлеб
платье юбка брюки куртка пальто сапоги туфли сумка часы кольцо серьги подарок цветы букет свадьба праздник юбилей рождение
ребенок дети школа урок класс учебник решебник экзамен институт диплом реферат сочинение словарь перевод язык английский немецкий
врач больница поликлиника аптека лекарство таблетки симптомы лечение диета похудение спорт фитнес футбол хоккей теннис бокс плавание
кредит банк ипотека вклад курс доллар евро рубль налог закон договор страховка полис права штраф экспертиза суд адвокат нотариус
вакансии резюме зарплата директор менеджер водитель бухгалтер инженер программист продавец повар охранник
собака кошка щенок котенок попугай аквариум лошадь корова пчела рыбалка охота лодка палатка рюкзак велосипед мотоцикл скутер
своими руками недорого отзывы форум обсуждение ответы сайт официальный каталог магазин доставка москва петербург казань самара
2012 2013 россия украина беларусь сочи анапа крым урал сибирь алтай байкал волга`)

	latin = strings.Fields(`
auto avto foto video kino film serial muzyka igry igra news novosti pogoda rabota dom dacha kvartira arenda prodam kupit cena katalog
katalog magazin dostavka tovar moda odezhda obuv platya sumki kosmetika deti shkola forum blog profile people album photo gallery
search index view show list item page user login register cart order price brand model series region city street map route
moskva spb kazan samara ufa perm omsk sochi krym tver orel kursk penza tula kirov real-estate apartments sale rent office house
cars moto trucks parts tires service repair hotel tour travel avia visa beach ski sport football hockey news-line article story
recipes salads soups cakes health doctor clinic apteka beauty hair diet love dating horoscope test quiz games online download soft
windows android iphone nokia samsung sony canon nikon bosch philips toyota nissan mazda honda opel audi bmw lada kia ford`)

	parameters = strings.Fields(`
page id cat sort order lang from clid sid uid ref text query region city price_ot price_do currency model brand type view mode filter
year month size color state option with_photo is_hot input_age1 input_age2 ei cad rjt fu he wi bt where filmId`)

	separators = []string{" - ", " — ", ", ", " | ", ": ", ". ", " / ", " – "}

	domains = []string{".ru", ".ru", ".ru", ".ru", ".com", ".ua", ".by", ".net", ".org", ".info"}
)
