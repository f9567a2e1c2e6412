import pg from 'pg'
import { siteDatabase } from '../../support/site-process.ts'

/** What no form would accept in one go: every field of each newcomer's profile at its maximum length, and many votes and comments. */
export async function fillProfiles(): Promise<void> {
	const client = new pg.Client(siteDatabase(process.env.SITE_DATA_DIR ?? ''))
	await client.connect()
	try {
		const word = (length: number) => 'W'.repeat(length)
		const link = `https://${'l'.repeat(60)}.example/${'p'.repeat(400)}`
		await client.query(
			`update profiles set phone = $1, city = $2, expertise_in = $3, about = $4, open_to = '{mentoring,teammates}',
				university_name = $5, location = $5, enrol_in_branch_name = $5, year_of_passing = 2028, current_semester = 12,
				current_year = 8, enrolment_number = $6, university_email = $7, github = $8, linkedin = $8, leetcode = $8,
				portfolio = $8, hackerrank = $8, codechef = $8, geeksforgeek = $8, show_email = true, show_phone = true
			where user_id in (select id from users where length(username) = 40)`,
			[
				'+'.padEnd(30, '9'),
				word(100),
				word(150),
				`${word(900)}\n\n${'ש'.repeat(900)}`,
				word(200),
				word(50),
				`${'e'.repeat(100)}@${'e'.repeat(60)}.example`,
				link,
			],
		)
		await client.query(`update categories set title = $1 where slug = 'others'`, [word(40)])
		await client.query(`update questions set score = -1234567, comment_count = 1234567
			where id = (select max(id) from questions where status = 'published')`)
	} finally {
		await client.end()
	}
}
