import { randomBytes } from 'node:crypto'
import { existsSync, lchownSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg, { type PoolConfig } from 'pg'
import { readOrCreateFile } from '~/lib/secrets.server.ts'
import { codeOf } from '~/lib/system-errors.ts'
import type { PostgresOwner } from './postgres-owner.server.ts'

/** The role that owns the site's database; no superuser. */
const siteRole = 'devquad'
/** The superuser that `initdb` creates; the site itself never uses it. */
const adminRole = 'devquad_admin'
const database = 'devquad'

const passwordRequired = 'local all all scram-sha-256\n'
/** Only while passwords are being set, behind a socket in a folder that only its owner may enter. */
const passwordsUnset = 'local all all trust\n'

/** How the two roles connect. */
export interface Roles {
	site: PoolConfig
	admin: PoolConfig
}

/** A random password for the files `postgres-password` and `postgres-admin-password` of a data directory. */
function newPassword(): string {
	return randomBytes(32).toString('base64url')
}

/**
 * How the two roles connect through the socket in this folder. Missing passwords are created.
 * @throws the error of the file system, such as EACCES for an account that may not read them
 */
export function rolesOf(dataDir: string, host: string): Roles {
	const { site, admin } = passwordFiles(dataDir)
	return {
		site: { host, user: siteRole, password: readOrCreateFile(site, newPassword), database },
		admin: { host, user: adminRole, password: readOrCreateFile(admin, newPassword), database: 'postgres' },
	}
}

/** Removes the passwords of a data directory whose cluster is replaced by another one; the next start sets new ones. */
export function forgetPasswords(dataDir: string): void {
	for (const file of Object.values(passwordFiles(dataDir))) rmSync(file, { force: true })
}

/** Whether the cluster requires passwords, and the data directory has them. */
export function arePasswordsRequired(dataDir: string, cluster: string): boolean {
	const hasPasswords = Object.values(passwordFiles(dataDir)).every((file) => existsSync(file))
	const rules = join(cluster, 'pg_hba.conf')
	return hasPasswords && existsSync(rules) && readFileSync(rules, 'utf8') === passwordRequired
}

/** Makes the next start of a cluster require no password, so that {@link setPasswords} can set them. */
export function disablePasswords(cluster: string, owner: PostgresOwner): void {
	writeRules(cluster, owner, passwordsUnset)
}

/** Makes the cluster require passwords from its next start, or reload of its settings. */
export function enablePasswords(cluster: string, owner: PostgresOwner): void {
	writeRules(cluster, owner, passwordRequired)
}

/**
 * Gives a cluster without passwords its two roles and their passwords, and makes it require them. A cluster of version 0.1.0 has
 * one role, the superuser `devquad`: it is renamed, and everything is handed to a new `devquad`. If interrupted, the next start
 * repeats it.
 */
export async function setPasswords(cluster: string, owner: PostgresOwner, roles: Roles): Promise<void> {
	if (!(await hasRole(roles, adminRole))) await splitRoles(roles)
	await withClient(roles.admin, async (client) => {
		await client.query('begin')
		if (!(await roleExists(client, siteRole))) await client.query(`create role ${siteRole}`)
		await client.query(
			`alter role ${siteRole} login nosuperuser nocreatedb nocreaterole noreplication password ${client.escapeLiteral(String(roles.site.password))}`,
		)
		await client.query(`alter role ${adminRole} password ${client.escapeLiteral(String(roles.admin.password))}`)
		await client.query('commit')
	})
	if (await hasDatabase(roles.admin)) {
		await withClient({ ...roles.admin, database }, giveToSiteRole)
	}
	writeRules(cluster, owner, passwordRequired)
	await withClient(roles.admin, (client) => client.query('select pg_reload_conf()'))
}

/** Creates the site's role and database where an interrupted start had not. */
export async function createDatabase({ site, admin }: Roles): Promise<void> {
	await withClient(admin, async (client) => {
		if (!(await roleExists(client, siteRole)))
			await client.query(`create role ${siteRole} login password ${client.escapeLiteral(String(site.password))}`)
	})
	if (await hasDatabase(admin)) return
	await withClient(admin, (client) => client.query(`create database ${database} owner ${siteRole}`))
}

/** How many other connections the site's database has, on a server without passwords. */
export async function countConnections(host: string): Promise<number> {
	return withClient({ host, user: siteRole, database: 'postgres' }, async (client) => {
		const { rows } = await client.query<{ count: number }>(
			'select count(*)::int as count from pg_stat_activity where datname = $1',
			[database],
		)
		return rows[0]?.count ?? 0
	})
}

/** The superuser of `initdb` cannot become an ordinary role, so it is renamed; a role cannot rename itself. */
async function splitRoles(roles: Roles): Promise<void> {
	await withClient({ ...roles.admin, user: siteRole }, async (client) => {
		await client.query('begin')
		await client.query('create role devquad_renames superuser')
		await client.query('set local session authorization devquad_renames')
		await client.query(`alter role ${siteRole} rename to ${adminRole}`)
		await client.query(`set local session authorization ${adminRole}`)
		await client.query('drop role devquad_renames')
		await client.query(`create role ${siteRole}`)
		await client.query('commit')
	})
}

/** Objects of PostgreSQL and its extensions have lower ids, or depend on an extension. */
const firstNumberOfUsers = 16_384

/** Hands the database of this connection to the site's role, with everything in it that no extension owns. */
async function giveToSiteRole(client: pg.Client): Promise<void> {
	await client.query('begin')
	await client.query(`alter database ${database} owner to ${siteRole}`)
	const { rows } = await client.query<{ statement: string }>(
		`with things as (
			select 'pg_class'::regclass as class, oid, relowner as owner from pg_class where relkind in ('r', 'p', 'v', 'm', 'S', 'f')
			union all select 'pg_proc'::regclass, oid, proowner from pg_proc
			union all select 'pg_type'::regclass, oid, typowner from pg_type where typtype in ('d', 'e', 'r')
				or typrelid in (select oid from pg_class where relkind = 'c')
			union all select 'pg_namespace'::regclass, oid, nspowner from pg_namespace
			union all select 'pg_ts_config'::regclass, oid, cfgowner from pg_ts_config
			union all select 'pg_ts_dict'::regclass, oid, dictowner from pg_ts_dict
			union all select 'pg_statistic_ext'::regclass, oid, stxowner from pg_statistic_ext
		)
		select format('alter %s %s owner to ${siteRole}', named.type, named.identity) as statement
		from things, pg_identify_object(things.class, things.oid, 0) as named
		where things.oid >= ${firstNumberOfUsers} and things.owner <> '${siteRole}'::regrole
			and not exists (
				select from pg_depend
				where classid = things.class and objid = things.oid and (deptype = 'e' or
					-- A sequence goes with the table whose column it counts.
					(things.class = 'pg_class'::regclass and deptype in ('a', 'i') and refclassid = 'pg_class'::regclass))
			)`,
	)
	for (const { statement } of rows) await client.query(statement)
	await client.query('commit')
}

async function roleExists(client: pg.Client, role: string): Promise<boolean> {
	return ((await client.query('select from pg_roles where rolname = $1', [role])).rowCount ?? 0) > 0
}

/** Whether a role can connect, on a server without passwords. */
async function hasRole({ admin }: Roles, role: string): Promise<boolean> {
	try {
		return await withClient({ ...admin, user: role }, async () => true)
	} catch (error) {
		// invalid_authorization_specification: the role does not exist.
		if (codeOf(error) === '28000') return false
		throw error
	}
}

async function hasDatabase(admin: PoolConfig): Promise<boolean> {
	return withClient(admin, async (client) => {
		const { rowCount } = await client.query('select from pg_database where datname = $1', [database])
		return (rowCount ?? 0) > 0
	})
}

async function withClient<Result>(to: PoolConfig, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
	const client = new pg.Client(to)
	// The server may end the connection after we do.
	client.on('error', () => {})
	await client.connect()
	try {
		return await work(client)
	} finally {
		await client.end()
	}
}

function passwordFiles(dataDir: string): Record<'site' | 'admin', string> {
	return { site: join(dataDir, 'postgres-password'), admin: join(dataDir, 'postgres-admin-password') }
}

/** Writes pg_hba.conf atomically. */
function writeRules(cluster: string, owner: PostgresOwner, rules: string): void {
	const written = join(cluster, 'pg_hba.conf.new')
	rmSync(written, { force: true })
	writeFileSync(written, rules, { mode: 0o600, flag: 'wx' })
	if (owner.uid !== undefined && owner.gid !== undefined) lchownSync(written, owner.uid, owner.gid)
	renameSync(written, join(cluster, 'pg_hba.conf'))
}
