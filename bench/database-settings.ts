/** Settings of PostgreSQL while a benchmark fills a database, which need not survive a crash of the machine. */
export const seedingSettings = [
	'shared_buffers=2GB',
	'maintenance_work_mem=1GB',
	'max_wal_size=16GB',
	'archive_mode=off',
	'wal_level=minimal',
	'max_wal_senders=0',
	'fsync=off',
	'autovacuum=off',
]

/** Settings while it measures: the site's own, without work in the background. */
export const measuringSettings = ['autovacuum=off', 'fsync=off']
