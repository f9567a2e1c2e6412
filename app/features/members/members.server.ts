import { findIntroduction } from '~/features/profiles/profiles.queries.server.ts'
import { type Introduction, studiesText } from '~/features/profiles/profiles.view.ts'

/** As many skills as stand in one line beside a name. */
const skillsShown = 2

/**
 * Who a member is in one line, for pages that name them: “CSE, 2nd year · React, Node”. Empty for who is not in the
 * community's list or says nothing of themselves.
 */
export async function introduce(username: string): Promise<Introduction> {
	const row = await findIntroduction(username, skillsShown)
	if (!row?.listed) return { line: '', imported: row?.imported ?? false }
	const studies = studiesText({ branch: row.branch, year: row.current_year, semester: null })
	return { line: [studies, row.skills.join(', ')].filter(Boolean).join(' · '), imported: row.imported }
}
