import { sql } from 'kysely'
import { db } from '~/platform/db/db.server.ts'

/** Stores a request. @param seconds for which a response is accepted */
export async function insertSamlRequest(id: string, seconds: number): Promise<void> {
	await sql`
		insert into saml_requests (id, expires_at) values (${id}, now() + make_interval(secs => ${seconds}))`.execute(db())
}

interface SamlAnswer {
	/** Of the request. */
	id: string
	ticketHash: string
	/** Encrypted. */
	answer: string
	/** The lifetime of the ticket. */
	seconds: number
}

/** Stores the response to a request. @returns false if the request is unknown, expired or answered */
export async function answerSamlRequest({ id, ticketHash, answer, seconds }: SamlAnswer): Promise<boolean> {
	const { rows } = await sql`
		update saml_requests
		set ticket_hash = ${ticketHash}, answer = ${answer}, expires_at = now() + make_interval(secs => ${seconds})
		where id = ${id} and ticket_hash is null and expires_at > now() returning id`.execute(db())
	return rows.length > 0
}

/** Takes the response to a request, once. @param id of the request that this browser started */
export async function consumeSamlAnswer(id: string, ticketHash: string): Promise<string | undefined> {
	const { rows } = await sql<{ answer: string }>`
		delete from saml_requests where id = ${id} and ticket_hash = ${ticketHash} and expires_at > now()
		returning answer`.execute(db())
	return rows[0]?.answer
}

/** Deletes expired requests. */
export async function sweepSamlRequests(): Promise<void> {
	await sql`delete from saml_requests where expires_at < now()`.execute(db())
}
