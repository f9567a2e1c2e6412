import { z } from 'zod'
import { settingSection, textSetting } from '~/platform/settings/setting.ts'

/* Settings that say by which claims or attributes a login of the campus delivers the data of a member. */

const claim = (label: string, hint?: string) => textSetting({ label, ...(hint === undefined ? {} : { hint }) })

/** The codes of branches with their names, from lines such as `CSE = Computer Science`; codes in lower case. */
export function readBranchNames(text: string): ReadonlyMap<string, string> {
	const lines = text.split('\n').filter((line) => line.trim() !== '')
	return new Map(
		lines.map((line) => {
			const [code = '', ...name] = line.split('=')
			return [code.trim().toLowerCase(), name.join('=').trim()]
		}),
	)
}

/** The settings of what a login of the campus keeps up to date. */
export const campusFieldsSection = settingSection({
	name: 'campus-fields',
	title: 'Data from the university',
	about:
		'Name, branch, year and cohort of members who log in by the campus login, SAML or LDAP follow what the university says. Fields that a member changed stay as they are.',
	settings: {
		nameClaim: claim(
			'Claim or attribute with the name',
			'Usually the one that the login takes the name from. Leave each of these empty for what members enter themselves.',
		),
		branchClaim: claim('Claim or attribute with the branch'),
		branchNames: textSetting({
			label: 'Names of branches',
			hint: 'One in each line, such as CSE = Computer Science, if the university sends codes. Others are taken as they come.',
			isLong: true,
			schema: z
				.string()
				.refine(
					(text) => [...readBranchNames(text)].every(([code, name]) => code !== '' && name !== ''),
					'Each line needs a code, = and a name.',
				),
		}),
		passingClaim: claim(
			'Claim or attribute with the year of passing',
			'The first year in it counts, as in Class of 2028.',
		),
		yearClaim: claim('Claim or attribute with the year of study', 'The first number in it counts.'),
		semesterClaim: claim('Claim or attribute with the semester', 'The first number in it counts.'),
		enrolmentClaim: claim('Claim or attribute with the enrolment number', 'Only the member sees it.'),
		cohortClaim: claim(
			'Claim or attribute with the cohort',
			'Only admins see it, in their lists of members. The cohort of an invitation stays.',
		),
	},
})
