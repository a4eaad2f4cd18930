-- The statements of the page about VARIANT, with names of our own.
CREATE TABLE IF NOT EXISTS docs (
    k BIGINT,
    v VARIANT
)
PROPERTIES("replication_num" = "1");

CREATE TABLE IF NOT EXISTS docs2 (
    k BIGINT,
    v VARIANT <
        'id' : INT,            -- path id is an INT
        'message*' : STRING,   // every path that begins with message
        'tags*' : ARRAY<TEXT>  /* arrays */
    >
)
PROPERTIES("replication_num" = "1");

SELECT v['properties']['title'] FROM docs;

SELECT CAST(v['properties']['title'] AS STRING) AS title
FROM docs
GROUP BY title;

SELECT *
FROM docs
WHERE ARRAY_CONTAINS(CAST(v['tags'] AS ARRAY<TEXT>), 'Doris');

INSERT INTO docs VALUES
  (1, 'null'),
  (2, NULL),
  (3, 'true'),
  (4, '-17'),
  (5, '123.12'),
  (6, '1.912'),
  (7, '"A quote"'),
  (8, '[-1, 12, false]'),
  (9, '{ "x": "abc", "y": false, "z": 10 }'),
  (10, '"2021-01-01"');

CREATE TABLE typed (
    id BIGINT NOT NULL,
    v1 VARIANT<
        'large_int_val': LARGEINT,
        'string_val': STRING,
        'decimal_val': DECIMAL(38, 9),
        'datetime_val': DATETIME,
        'tz_val': TIMESTAMPTZ,
        'ip_val': IPV4
    > NULL
)
PROPERTIES ("replication_num" = "1");

INSERT INTO typed VALUES (1, '{
    "large_int_val" : "123222222222222222222222",
    "string_val" : "Hello World",
    "decimal_val" : 1.11111111,
    "datetime_val" : "2025-05-16 11:11:11",
    "tz_val" : "2025-05-16 11:11:11+08:00",
    "ip_val" : "127.0.0.1"
}');

SELECT variant_type(v1) FROM typed;

SELECT variant_type(CAST('{"a" : "12345"}' AS VARIANT<'a' : INT>)['a']);

CREATE TABLE patterns (
    id BIGINT NOT NULL,
    v1 VARIANT<
        'enumString*' : STRING,
        'enum*' : ARRAY<TEXT>,
        'ip*' : IPV6,
        MATCH_NAME 'literal*' : STRING
    > NULL
)
PROPERTIES ("replication_num" = "1");

CREATE TABLE blooms (k BIGINT, v VARIANT) PROPERTIES("replication_num" = "1", "bloom_filter_columns" = "v");
SELECT * FROM blooms WHERE v['id'] = 12345678;
SELECT * FROM blooms WHERE v['id'] IN (1, 2, 3);

CREATE TABLE IF NOT EXISTS texts (
    k BIGINT,
    v VARIANT,
    INDEX idx_v(v) USING INVERTED PROPERTIES("parser" = "english")
);
SELECT * FROM texts WHERE v['id_1'] MATCH 'Doris';

CREATE TABLE IF NOT EXISTS texts2 (
    k BIGINT,
    v VARIANT<'content' : STRING>,
    INDEX idx_tokenized(v) USING INVERTED PROPERTIES("parser" = "english", "field_pattern" = "content"),
    INDEX idx_v(v) USING INVERTED PROPERTIES("field_pattern" = "content")
);
SELECT * FROM texts2 WHERE v['content'] = 'Doris';

CREATE TABLE IF NOT EXISTS texts3 (
    k BIGINT,
    v VARIANT<'pattern_*' : STRING>,
    INDEX idx_tokenized(v) USING INVERTED PROPERTIES("parser" = "english", "field_pattern" = "pattern_*"),
    INDEX idx_v(v) USING INVERTED -- for all other paths
);
SELECT * FROM texts3 WHERE v MATCH 'Doris';

CREATE TABLE nested (
    id INT,
    data VARIANT<PROPERTIES("variant_enable_nested_group" = "true")>,
    INDEX idx_data (data) USING INVERTED PROPERTIES("parser" = "english")
) ENGINE=OLAP
DUPLICATE KEY(id)
DISTRIBUTED BY HASH(id) BUCKETS 1
PROPERTIES (
    "replication_num" = "1"
);
SET default_variant_enable_nested_group = true;

INSERT INTO nested VALUES
(1, '{"items":[{"msg":"hello","title":"news"},{"msg":"foo","title":"bar"}]}'),
(2, '{"items":[{"msg":"hello"},{"title":"news"}]}'),
(3, '[{"msg":"hello","title":"news"}]'),
(4, NULL);

SELECT id, CAST(data['items'] AS STRING)
FROM nested
ORDER BY id;

SELECT id
FROM nested
WHERE SEARCH('NESTED(data.items, msg:hello AND title:news)')
ORDER BY id;

SELECT
    id,
    CAST(e['msg'] AS STRING) AS msg,
    CAST(e['title'] AS STRING) AS title
FROM nested
LATERAL VIEW explode(data['items']) tmp AS e
WHERE CAST(e['msg'] AS STRING) = 'hello'
ORDER BY id, title;

SELECT id, CAST(e['msg'] AS STRING) AS msg FROM nested LATERAL VIEW explode(data) tmp AS e ORDER BY id;

select * from docs;
select v['a'] from docs;
select v['a']['no_such_key'] from docs;;

INSERT INTO docs VALUES
  (2, '{ "b": 2, "a": 1, "c": { "y": 20, "x": 10 } }');
SELECT v FROM docs WHERE k = 2;

SELECT CAST(v['arr'] AS ARRAY<TEXT>) FROM docs;
SELECT * FROM docs WHERE CAST(v['decimal'] AS DECIMAL(27, 9)) = 1.111111111;
SELECT * FROM docs WHERE CAST(v['date'] AS DATE) = '2021-01-02';
SELECT * FROM docs WHERE v['bool'];
SELECT * FROM docs WHERE v['str'] MATCH 'Doris';

CREATE TABLE example_table (
  id INT,
  data_string STRING,
  data_variant VARIANT
);
SELECT * FROM example_table WHERE data_variant LIKE '%doris%';

CREATE TABLE sparse (
  id INT,
  data_variant VARIANT<
      'path_1' : INT,
      'path_2' : STRING,
      properties(
          'variant_max_subcolumns_count' = '2048',
          'variant_enable_typed_paths_to_sparse' = 'true',
          'variant_sparse_hash_shard_count' = '64'
      )
  >
);

CREATE TABLE nested_only (
  id INT,
  data_variant VARIANT<
      properties(
          'variant_enable_nested_group' = 'true'
      )
  >
);

CREATE TABLE v3 (k BIGINT, v VARIANT) PROPERTIES ("storage_format" = "V3");
SELECT variant_type(v) FROM docs;
SET describe_extend_variant_column = true;
DESC docs;
DESCRIBE docs PARTITION (p1);
SELECT count(*) FROM docs;
