import { sql } from 'kysely'
import type { CertificateEditRow, ProjectEditRow } from '~/features/profiles/editing/items.queries.server.ts'
import type { PictureKind } from '~/lib/picture-paths.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'

/**
 * Locks everything of a member that an import reads before it writes: the profile first, as its forms do, then the account,
 * as whoever adds an item does.
 */
export async function lockProfile(trx: Executor, userId: number): Promise<void> {
	await sql`select 1 from profiles where user_id = ${userId} for update`.execute(trx)
	await sql`select 1 from users where id = ${userId} for update`.execute(trx)
}

/** A member's certificates in their own order, with all that a form would show. */
export async function listCertificatesToEdit(
	userId: number,
	executor: Executor = db(),
): Promise<(CertificateEditRow & { id: string })[]> {
	const { rows } = await sql<CertificateEditRow & { id: string }>`
		select certificate_id as id, certificate_title, certificate_url, certificate_image,
			certificate_issue_date::text as certificate_issue_date, certificate_expire_date::text as certificate_expire_date,
			credential_verification_link, version
		from certificates where user_id = ${userId} order by position, certificate_id limit 100`.execute(executor)
	return rows
}

/** A member's projects in their own order, with all that a form would show. */
export async function listProjectsToEdit(
	userId: number,
	executor: Executor = db(),
): Promise<(ProjectEditRow & { id: string })[]> {
	const { rows } = await sql<ProjectEditRow & { id: string }>`
		select project_id as id, project_title, project_description, project_image, project_tech_stack,
			project_date::text as project_date, project_source_code_link, project_deployment_link, project_demo_link, version
		from projects where user_id = ${userId} order by position, project_id limit 100`.execute(executor)
	return rows
}

/** Which of these pictures are this member's, each with what it may be used for. */
export async function listOwnPictures(
	userId: number,
	paths: string[],
	executor: Executor = db(),
): Promise<{ path: string; kind: PictureKind }[]> {
	return executor
		.selectFrom('pictures')
		.select(['path', 'kind'])
		.where('user_id', '=', userId)
		.where('path', 'in', paths.length > 0 ? paths : [''])
		.execute()
}
