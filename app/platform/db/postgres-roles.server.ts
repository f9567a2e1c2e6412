import { randomBytes } from 'node:crypto'
import { existsSync, lchownSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg, { type PoolConfig } from 'pg'
import { madeOnce } from '~/lib/secrets.server.ts'
import type { Owner } from './postgres-owner.server.ts'

/** The role that owns the site's database, and is no superuser. */
const siteRole = 'devquad'
/** The superuser that `initdb` makes; the site itself never connects as it. */
const adminRole = 'devquad_admin'
const database = 'devquad'

const passwordRequired = 'local all all scram-sha-256\n'
/** Only while passwords are being set, behind a socket in a folder that its owner alone may enter. */
const passwordsUnset = 'local all all trust\n'

/** How the two roles connect. */
export interface Roles {
	site: PoolConfig
	admin: PoolConfig
}

/** Makes what is random in the password files of a data directory: `postgres-password`, `postgres-admin-password`. */
function newPassword(): string {
	return randomBytes(32).toString('base64url')
}

/**
 * How the roles of a data directory's cluster connect through this folder's socket. The passwords are made when they are missing.
 * @throws the error of the file system, EACCES for an account that may not read them
 */
export function rolesOf(dataDir: string, host: string): Roles {
	const { site, admin } = passwordFiles(dataDir)
	return {
		site: { host, user: siteRole, password: madeOnce(site, newPassword), database },
		admin: { host, user: adminRole, password: madeOnce(admin, newPassword), database: 'postgres' },
	}
}

/** Whether the cluster asks everybody for a password that the data directory keeps. */
export function asksForPasswords(dataDir: string, cluster: string): boolean {
	const hasPasswords = Object.values(passwordFiles(dataDir)).every((file) => existsSync(file))
	const rules = join(cluster, 'pg_hba.conf')
	return hasPasswords && existsSync(rules) && readFileSync(rules, 'utf8') === passwordRequired
}

/** Has the next start of a cluster ask nobody for a password, so that {@link setPasswords} can set them. */
export function stopAskingForPasswords(cluster: string, owner: Owner): void {
	writeRules(cluster, owner, passwordsUnset)
}

/** Has the cluster ask for passwords from its next start, or its next reload of the settings, on. */
export function askForPasswords(cluster: string, owner: Owner): void {
	writeRules(cluster, owner, passwordRequired)
}

/**
 * Gives a cluster that asks nobody for a password its two roles and their passwords, and has it ask from then on. A cluster of
 * version 0.1.0 knows one role, the superuser `devquad`: that one is renamed, and everything is handed to a new `devquad`.
 * Ended in the middle, it is done again at the next start.
 */
export async function setPasswords(cluster: string, owner: Owner, roles: Roles): Promise<void> {
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

/** Makes the site's role and its database where a start was ended before it had. */
export async function createDatabase({ site, admin }: Roles): Promise<void> {
	await withClient(admin, async (client) => {
		if (!(await roleExists(client, siteRole)))
			await client.query(`create role ${siteRole} login password ${client.escapeLiteral(String(site.password))}`)
	})
	if (await hasDatabase(admin)) return
	await withClient(admin, (client) => client.query(`create database ${database} owner ${siteRole}`))
}

/** How many connections of others there are to the site's database, on a server that asks for no password. */
export async function countConnections(host: string): Promise<number> {
	return withClient({ host, user: siteRole, database: 'postgres' }, async (client) => {
		const { rows } = await client.query<{ count: number }>(
			'select count(*)::int as count from pg_stat_activity where datname = $1',
			[database],
		)
		return rows[0]?.count ?? 0
	})
}

/** The superuser of `initdb` cannot be made an ordinary role, so it takes another name; a role cannot rename itself either. */
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

/** What PostgreSQL and its extensions have made themselves has numbers below this, or hangs on an extension. */
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

/** Whether a role may connect, on a server that asks for no password. */
async function hasRole({ admin }: Roles, role: string): Promise<boolean> {
	try {
		return await withClient({ ...admin, user: role }, async () => true)
	} catch (error) {
		// invalid_authorization_specification: there is no such role.
		if ((error as { code?: string }).code === '28000') return false
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
	// The server may end the connection later than we do.
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

/** Writes who may connect how; whole or not at all. */
function writeRules(cluster: string, owner: Owner, rules: string): void {
	const written = join(cluster, 'pg_hba.conf.new')
	rmSync(written, { force: true })
	writeFileSync(written, rules, { mode: 0o600, flag: 'wx' })
	if (owner.uid !== undefined && owner.gid !== undefined) lchownSync(written, owner.uid, owner.gid)
	renameSync(written, join(cluster, 'pg_hba.conf'))
}
