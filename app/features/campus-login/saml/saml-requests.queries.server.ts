import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'

/** Notes a request that a browser takes to the login service. @param seconds for which an answer is taken */
export async function insertSamlRequest(id: string, seconds: number): Promise<void> {
	await sql`
		insert into saml_requests (id, expires_at) values (${id}, now() + make_interval(secs => ${seconds}))`.execute(db())
}

interface SamlAnswer {
	/** Of the request that is answered. */
	id: string
	ticketHash: string
	/** Encrypted. */
	answer: string
	/** For which the ticket is good. */
	seconds: number
}

/** Takes the one answer that a request gets. @returns false where there is no such request any more, or it was answered before */
export async function answerSamlRequest({ id, ticketHash, answer, seconds }: SamlAnswer): Promise<boolean> {
	const { rows } = await sql`
		update saml_requests
		set ticket_hash = ${ticketHash}, answer = ${answer}, expires_at = now() + make_interval(secs => ${seconds})
		where id = ${id} and ticket_hash is null and expires_at > now() returning id`.execute(db())
	return rows.length > 0
}

/** Hands out the answer to a request, once. @param id of the request that this browser began */
export async function takeSamlAnswer(id: string, ticketHash: string): Promise<string | undefined> {
	const { rows } = await sql<{ answer: string }>`
		delete from saml_requests where id = ${id} and ticket_hash = ${ticketHash} and expires_at > now()
		returning answer`.execute(db())
	return rows[0]?.answer
}

/** Forgets requests that nobody came back for. */
export async function sweepSamlRequests(): Promise<void> {
	await sql`delete from saml_requests where expires_at < now()`.execute(db())
}
