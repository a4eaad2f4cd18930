-- The statements of the page about schema evolution, with names of our own, and the grammar of COPY INTO around it.
ALTER TABLE my_table SET OPTIONS(ENABLE_SCHEMA_EVOLUTION = true);
CREATE TABLE my_table(id INT) ENABLE_SCHEMA_EVOLUTION = true;
ALTER TABLE my_table SET OPTIONS(ENABLE_SCHEMA_EVOLUTION = false);
ALTER TABLE IF EXISTS my_table UNSET OPTIONS(ENABLE_SCHEMA_EVOLUTION);

CREATE OR REPLACE TABLE invoices(order_id INT);
CREATE OR REPLACE STAGE my_stage;

COPY INTO @my_stage FROM (
    SELECT 1 AS order_id, 100.50::DOUBLE AS amount, 'USD' AS currency
    UNION ALL
    SELECT 2, 250.50::DOUBLE, 'EUR'
) FILE_FORMAT = (TYPE = parquet);

COPY INTO @my_stage FROM (
    SELECT 3 AS order_id, 75.50::DOUBLE AS amount
) FILE_FORMAT = (TYPE = parquet);

COPY INTO invoices
FROM @my_stage/
FILE_FORMAT = (TYPE = parquet MISSING_FIELD_AS = FIELD_DEFAULT);

DESC invoices;
SELECT * FROM invoices ORDER BY order_id;

COPY INTO events
FROM @events_stage/
FILE_FORMAT = (TYPE = ndjson MISSING_FIELD_AS = FIELD_DEFAULT)
SCHEMA_EVOLUTION = (
  SAMPLE_FILES = AUTO,
  SAMPLE_RECORDS_PER_FILE = AUTO,
  SAMPLE_TOTAL_RECORDS = AUTO
);

COPY INTO invoices
FROM @my_stage/
FILE_FORMAT = (TYPE = parquet MISSING_FIELD_AS = FIELD_DEFAULT)
COLUMN_MATCH_MODE = CASE_SENSITIVE;

WITH x AS (SELECT 1)
COPY /*+ set_var(a=1) */ INTO c.db.t (a, "B") FROM '@stage/pa th/'
FILES = ('f1', 'f2'), PATTERN = '.*[.]ndjson'
FILE_FORMAT = (FORMAT_NAME = 'mine') PURGE = true FORCE = TRUE ON_ERROR = ABORT_10 MAX_FILES = 100 SIZE_LIMIT = 5 SPLIT_SIZE = 1
DISABLE_VARIANT_CHECK = true RETURN_FAILED_ONLY = false SCHEMA_EVOLUTION = ();

COPY INTO t FROM 's3://bucket/path/' CONNECTION = (ENDPOINT_URL = 'http://localhost', REGION = 'x')
PATTERN = $pattern FILE_FORMAT = (TYPE = CSV, FIELD_DELIMITER = ',', SKIP_HEADER = 1, NULL_IF = ('a', 'b'));

COPY INTO t FROM (SELECT $1:id::int, $1:name, METADATA$FILENAME FROM @~/dir/x.ndjson s) FILE_FORMAT = (TYPE = NDJSON);
COPY INTO t FROM '/data/files/' FILE_FORMAT = (TYPE = NDJSON COMPRESSION = AUTO) SCHEMA_EVOLUTION = (SAMPLE_FILES = FULL, ON_NEW_FIELD = ADD);

COPY INTO @s/out/ FROM t PARTITION BY (concat('a=', a)) FILE_FORMAT = (TYPE = PARQUET) MAX_FILE_SIZE = 1000 DETAILED_OUTPUT = true;
COPY INTO 'fs:///tmp/x/' FROM (SELECT * FROM t) SINGLE = true OVERWRITE = true INCLUDE_QUERY_ID = false USE_RAW_PATH = true;

CREATE STAGE IF NOT EXISTS ext URL = 's3://load/files/' CONNECTION = (REGION = 'x') FILE_FORMAT = (TYPE = CSV) COMMENT = 'external';
CREATE STAGE ext 'fs:///tmp/' FILE_FORMAT = (FORMAT_NAME = 'mine');
LIST @my_stage/dir/ab PATTERN = '.*[.]parquet';
REMOVE @my_stage PATTERN = 'x.*';
DROP STAGE IF EXISTS my_stage;
CREATE OR REPLACE FILE FORMAT mine TYPE = NDJSON COMPRESSION = GZIP;
DROP FILE FORMAT IF EXISTS mine;
SHOW STAGES;
DESC STAGE my_stage;
SELECT * FROM @my_stage/dir (FILE_FORMAT => 'parquet', PATTERN => '.*', FILES => ('a', 'b'), CASE_SENSITIVE => true) AS t;
SELECT $1, METADATA$FILE_ROW_NUMBER FROM 'fs:///x/y.csv' (FILE_FORMAT => 'CSV');
SELECT * FROM infer_schema(location => '@my_stage/', file_format => 'NDJSON', max_file_count => 3);
SELECT * FROM list_stage(location => @my_stage, pattern => '.*');
SELECT * FROM copy_history('t');
CREATE USER IF NOT EXISTS 'load'@'%' IDENTIFIED WITH sha256_password BY 'pw' WITH DEFAULT_ROLE = 'r', DISABLED = true;
ALTER USER load IDENTIFIED BY 'pw2';
DROP USER IF EXISTS load;
