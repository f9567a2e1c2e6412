import { shorten } from '~/lib/page-meta.ts'
import { studiesText } from './profiles.view.ts'

/** What a share card says: only what everybody may read. */
export interface ShareCard {
	name: string
	username: string
	/** “CSE, 3rd year, semester 6”, or ''. */
	studies: string
	university: string
	/** Whether the university is one that they are a verified student of. */
	verified: boolean
	skills: string[]
}

interface Shown {
	name: string
	username: string
	enrol_in_branch_name: string
	current_year: number | null
	current_semester: number | null
	university_name: string
	skills: string[]
}

/** Letters that the cards' typeface has: scripts/subset-fonts.mjs makes its files of the same list. */
const drawable = /^[ -~\u00a0-\u00ac\u00ae-\u017eȘșȚț–—‘’‚“”„†•…€]*$/
const mostSkills = 12

/**
 * The card of a member. What the typeface cannot draw is left out, and a name of other letters is told by the username, so
 * that a card is never a row of empty boxes.
 * @param campus the university that they are a verified student of, or ''
 */
export function shareCard(row: Shown, campus: string): ShareCard {
	const draws = (text: string) => (drawable.test(text.normalize('NFC')) ? text.normalize('NFC') : '')
	const university = draws(campus) || draws(row.university_name)
	const studies = { branch: draws(row.enrol_in_branch_name), year: row.current_year, semester: row.current_semester }
	return {
		name: shorten(draws(row.name) || `@${row.username}`, 48),
		username: shorten(row.username, 40),
		studies: shorten(studiesText(studies), 60),
		university: shorten(university, 60),
		verified: campus !== '' && university !== '',
		skills: row.skills.filter((skill) => draws(skill) !== '').slice(0, mostSkills),
	}
}
