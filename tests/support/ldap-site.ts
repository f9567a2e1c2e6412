import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Attribute, Client } from 'ldapts'
import { freePort } from '../../scripts/support/free-ports.ts'
import { findProgram } from '../../scripts/support/programs.ts'
import { makeCertificate } from './certificate.ts'

/** OpenLDAP's server, if installed. */
export const slapd = findProgram('slapd')

const suffix = 'dc=eastmere,dc=example'
export const baseDn = `ou=people,${suffix}`
export const bindDn = `cn=reader,${suffix}`
export const bindPassword = 'a password of the reader'
const root = { dn: `cn=root,${suffix}`, password: 'a password of the root' }

/** A campus directory: slapd in a child process, with TLS and a temporary folder. */
export interface Directory {
	/** By ldap://, with StartTLS. */
	address: string
	/** By ldaps://. */
	safeAddress: string
	/** Of the server, PEM. */
	certificate: string
	/** Adds a person. */
	enrol: (uid: string, attributes?: Record<string, string | string[] | Buffer>) => Promise<void>
	remove: (uid: string) => Promise<void>
	/** Hangs like a machine that does not respond, until it is resumed. */
	pause: () => void
	goOn: () => void
	start: () => Promise<void>
	stop: () => Promise<void>
}

/** The password of all persons. */
export const memberPassword = 'a password at the campus'

/** Starts a directory. The caller must stop it, which removes its folder. */
export async function startDirectory(program: string): Promise<Directory> {
	const folder = mkdtempSync(join(tmpdir(), 'devquad-slapd-'))
	const [port, safePort] = [await freePort(), await freePort()]
	const address = `ldap://localhost:${port}`
	const safeAddress = `ldaps://localhost:${safePort}`
	const { cert, key } = makeCertificate()
	configure(folder, { cert, key })
	let server: ChildProcess | undefined
	process.once('exit', () => server?.kill('SIGKILL'))
	const asRoot = async (work: (client: Client) => Promise<unknown>) => {
		const client = new Client({ url: address, timeout: 5_000 })
		try {
			await client.bind(root.dn, root.password)
			await work(client)
		} finally {
			await client.unbind()
		}
	}
	const start = async () => {
		const child = spawn(program, ['-d', '0', '-f', join(folder, 'slapd.conf'), '-h', `${address} ${safeAddress}`], {
			stdio: 'ignore',
		})
		server = child
		// Not Vitest's `waitFor`, as Playwright's tests use this too.
		const until = Date.now() + 20_000
		while (
			!(await asRoot(async () => {}).then(
				() => true,
				() => false,
			))
		) {
			if (child.exitCode !== null || Date.now() > until) throw new Error('slapd did not start.')
			await wait(50)
		}
	}
	await start()
	return {
		address,
		safeAddress,
		certificate: cert,
		enrol: (uid, attributes = {}) =>
			asRoot((client) => {
				const entry = {
					objectClass: 'inetOrgPerson',
					...{ cn: uid, sn: uid, uid, mail: `${uid}@eastmere.example`, userPassword: memberPassword },
					...attributes,
				}
				return client.add(
					`cn=${uid},${baseDn}`,
					Object.entries(entry).map(([type, value]) => new Attribute({ type, values: valuesOf(value) })),
				)
			}),
		remove: (uid) => asRoot((client) => client.del(`cn=${uid},${baseDn}`)),
		pause: () => void server?.kill('SIGSTOP'),
		goOn: () => void server?.kill('SIGCONT'),
		start,
		async stop() {
			if (server && server.exitCode === null && server.signalCode === null) {
				const exited = once(server, 'exit')
				server.kill('SIGKILL')
				await exited
			}
		},
	}

	function configure(place: string, { cert: pem, key: secret }: { cert: string; key: string }): void {
		process.once('exit', () => rmSync(place, { recursive: true, force: true }))
		mkdirSync(join(place, 'data'))
		writeFileSync(join(place, 'cert.pem'), pem)
		writeFileSync(join(place, 'key.pem'), secret, { mode: 0o600 })
		writeFileSync(join(place, 'slapd.conf'), configuration(place))
		writeFileSync(join(place, 'first.ldif'), firstEntries)
		const add = ['-T', 'add', '-f', join(place, 'slapd.conf'), '-l', join(place, 'first.ldif')]
		execFileSync(program, add, { stdio: 'pipe' })
	}
}

function valuesOf(value: string | string[] | Buffer): string[] | Buffer[] {
	if (Buffer.isBuffer(value)) return [value]
	return Array.isArray(value) ? value : [value]
}

const configuration = (folder: string) => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
attributetype ( 1.2.840.113556.1.4.2 NAME 'objectGUID' EQUALITY octetStringMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
objectclass ( 1.2.840.113556.1.5.9999 NAME 'directoryPerson' SUP top AUXILIARY MAY objectGUID )
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile ${folder}/slapd.pid
TLSCertificateFile ${folder}/cert.pem
TLSCertificateKeyFile ${folder}/key.pem
allow bind_anon_dn
database mdb
suffix "${suffix}"
rootdn "${root.dn}"
rootpw "${root.password}"
directory ${folder}/data
dbnosync
index uid,entryUUID eq
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${bindDn}" read by * none
`

const firstEntries = `dn: ${suffix}
objectClass: dcObject
objectClass: organization
o: Eastmere
dc: eastmere

dn: ${baseDn}
objectClass: organizationalUnit
ou: people

dn: ${bindDn}
objectClass: person
cn: reader
sn: reader
userPassword: ${bindPassword}
`
