import { sql } from 'kysely'
import type { ItemTable } from '~/features/profiles/profiles.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { ProjectInput, StoredCertificate } from './profile.schema.ts'

/** Locks the member against another save that adds, and counts what they have. */
export async function countItems(trx: Executor, table: ItemTable, userId: number): Promise<number> {
	await sql`select 1 from users where id = ${userId} for update`.execute(trx)
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from ${sql.table(table)} where user_id = ${userId}`.execute(trx)
	return rows[0]?.count ?? 0
}

export interface CertificateEditRow extends StoredCertificate {
	version: number
}

/** One certificate of this member, as its form shows it. */
export async function findCertificate(
	userId: number,
	id: string,
	executor: Executor = db(),
): Promise<CertificateEditRow | undefined> {
	const { rows } = await sql<CertificateEditRow>`
		select certificate_title, certificate_url, certificate_image, certificate_issue_date::text as certificate_issue_date,
			certificate_expire_date::text as certificate_expire_date, credential_verification_link, version
		from certificates where user_id = ${userId} and certificate_id = ${id}::uuid`.execute(executor)
	return rows[0]
}

/** Adds a certificate at the end of the member's list. */
export async function insertCertificate(trx: Executor, userId: number, input: StoredCertificate): Promise<void> {
	await sql`
		insert into certificates (user_id, certificate_title, certificate_url, certificate_image, certificate_issue_date,
			certificate_expire_date, credential_verification_link, position)
		select ${userId}, ${input.certificate_title}, ${input.certificate_url}, ${input.certificate_image},
			${input.certificate_issue_date}::date, ${input.certificate_expire_date}::date,
			${input.credential_verification_link}, coalesce(max(position) + 1, 0)
		from certificates where user_id = ${userId}`.execute(trx)
}

/** Replaces a certificate of this member, if it is still of this version. @returns whether it was */
export async function updateCertificate(
	trx: Executor,
	userId: number,
	id: string,
	version: number,
	input: StoredCertificate,
): Promise<boolean> {
	const { rows } = await sql`
		update certificates set version = version + 1, certificate_title = ${input.certificate_title},
			certificate_url = ${input.certificate_url}, certificate_image = ${input.certificate_image},
			certificate_issue_date = ${input.certificate_issue_date}::date,
			certificate_expire_date = ${input.certificate_expire_date}::date,
			credential_verification_link = ${input.credential_verification_link}
		where user_id = ${userId} and certificate_id = ${id}::uuid and version = ${version} returning 1`.execute(trx)
	return rows.length > 0
}

export interface ProjectEditRow extends ProjectInput {
	version: number
}

/** One project of this member, as its form shows it. */
export async function findProject(
	userId: number,
	id: string,
	executor: Executor = db(),
): Promise<ProjectEditRow | undefined> {
	const { rows } = await sql<ProjectEditRow>`
		select project_title, project_description, project_image, project_tech_stack, project_date::text as project_date,
			project_source_code_link, project_deployment_link, project_demo_link, version
		from projects where user_id = ${userId} and project_id = ${id}::uuid`.execute(executor)
	return rows[0]
}

/** Adds a project at the end of the member's list. */
export async function insertProject(trx: Executor, userId: number, input: ProjectInput): Promise<void> {
	await sql`
		insert into projects (user_id, project_title, project_description, project_image, project_tech_stack, project_date,
			project_source_code_link, project_deployment_link, project_demo_link, position)
		select ${userId}, ${input.project_title}, ${input.project_description}, ${input.project_image},
			${input.project_tech_stack}::text[], ${input.project_date}::date, ${input.project_source_code_link},
			${input.project_deployment_link}, ${input.project_demo_link}, coalesce(max(position) + 1, 0)
		from projects where user_id = ${userId}`.execute(trx)
}

/** Replaces a project of this member, if it is still of this version. @returns whether it was */
export async function updateProject(
	trx: Executor,
	userId: number,
	id: string,
	version: number,
	input: ProjectInput,
): Promise<boolean> {
	const { rows } = await sql`
		update projects set version = version + 1, project_title = ${input.project_title},
			project_description = ${input.project_description}, project_image = ${input.project_image},
			project_tech_stack = ${input.project_tech_stack}::text[], project_date = ${input.project_date}::date,
			project_source_code_link = ${input.project_source_code_link},
			project_deployment_link = ${input.project_deployment_link}, project_demo_link = ${input.project_demo_link}
		where user_id = ${userId} and project_id = ${id}::uuid and version = ${version} returning 1`.execute(trx)
	return rows.length > 0
}

/** A member's certificates in their own order, with all that a form would show. @param whole whether those that others do not see are read, too */
export async function listCertificatesToEdit(
	userId: number,
	executor: Executor = db(),
	whole = true,
): Promise<(CertificateEditRow & { id: string })[]> {
	const { rows } = await sql<CertificateEditRow & { id: string }>`
		select certificate_id as id, certificate_title, certificate_url, certificate_image,
			certificate_issue_date::text as certificate_issue_date, certificate_expire_date::text as certificate_expire_date,
			credential_verification_link, version
		from ${whole ? sql`certificates` : sql`shown_certificates`} where user_id = ${userId} order by position, certificate_id limit 100`.execute(
		executor,
	)
	return rows
}

/** A member's projects in their own order, with all that a form would show. @param whole whether those that others do not see are read, too */
export async function listProjectsToEdit(
	userId: number,
	executor: Executor = db(),
	whole = true,
): Promise<(ProjectEditRow & { id: string })[]> {
	const { rows } = await sql<ProjectEditRow & { id: string }>`
		select project_id as id, project_title, project_description, project_image, project_tech_stack,
			project_date::text as project_date, project_source_code_link, project_deployment_link, project_demo_link, version
		from ${whole ? sql`projects` : sql`shown_projects`} where user_id = ${userId} order by position, project_id limit 100`.execute(
		executor,
	)
	return rows
}
