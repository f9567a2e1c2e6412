import { listNewest, listOnline, listSkills } from '~/features/directory/directory.server.ts'
import type { MemberView, SkillView } from '~/features/directory/directory.view.ts'
import { countAskedSince, listQuestions, mostDiscussed } from '~/features/question-lists/lists.server.ts'
import type { QuestionCardView, QuestionPageView } from '~/features/questions/question.view.ts'
import { listTags } from '~/features/tags/tags.server.ts'
import type { TagView } from '~/features/tags/tags.view.ts'
import { siteDay } from '~/lib/calendar.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { LIST_PAGES, sharedData } from '~/platform/cache/pages.server.ts'
import { momentOf } from '~/platform/settings/region.server.ts'
import { settingSection, textSetting } from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { type Figures, readHomeFigures } from './home.queries.server.ts'

export interface HomeView {
	/** The welcome text; an empty title stands for the site's name. */
	welcome: { title: string; text: string }
	figures: Figures & { askedToday: number }
	/** Members who are online, the latest first; where they are few, the newest members after them. */
	people: MemberView[]
	/** The most discussed question of a period, with the period; null without comments. */
	lead: { question: LeadView; within: 'today' | 'this week' | 'this month' | 'lately' } | null
	recent: QuestionCardView[]
	skills: SkillView[]
	tags: TagView[]
}

/** A question with its first code block, if that is short. */
export interface LeadView extends QuestionCardView {
	codeHtml: string
}

/** The welcome text on the home page. */
export const welcomeSection = settingSection({
	name: 'front-page',
	title: 'Front page',
	about: 'The heading of the front page, and the text below it.',
	settings: {
		title: textSetting({
			label: 'Heading',
			hint: 'If empty: “Welcome to” and the name of this site.',
			maxLength: 80,
		}),
		text: textSetting({
			label: 'Text',
			default:
				'The place where students of this campus meet: connect, collaborate, build and learn new skills with mentors, collaborators and experts, and ask questions in the forum. Someone here has already solved it.',
			isLong: true,
			maxLength: 400,
		}),
	},
})

const DAY_MS = 24 * 60 * 60 * 1000

/** The home page, in at most eight statements whatever the size of the community. */
export async function getHome(viewer: Viewer): Promise<HomeView> {
	const today = momentOf(siteDay(Date.now()))
	const [{ arriving, ...figures }, askedToday, recent, skills, tags] = await Promise.all([
		readHomeFigures(viewer),
		sharedData(`asked since ${today.getTime()}`, [LIST_PAGES], () => countAskedSince(today)),
		listQuestions(viewer, { limit: 5 }),
		sharedData('popular skills', [], () => listSkills(11)),
		listTags(24),
	])
	const window = windowOf(recent.rows[0]?.createdAt, today)
	const [people, lead] = await Promise.all([
		listPeople(viewer, figures.online),
		window && sharedData(`discussed since ${window.since.getTime()}`, [LIST_PAGES], () => mostDiscussed(window.since)),
	])
	return {
		welcome: siteSettings(welcomeSection),
		figures: { ...figures, online: figures.online + Number(arriving), askedToday },
		people,
		lead:
			window && lead
				? { question: leadOf(lead), within: window.since <= new Date(lead.createdAt) ? window.within : 'lately' }
				: null,
		recent: recent.rows.filter(({ id }) => id !== lead?.id).slice(0, 4),
		skills,
		tags,
	}
}

/** As many rows as are as high as the welcome text beside them. */
const MAX_PEOPLE = 5

async function listPeople(viewer: Viewer, onlineCount: number): Promise<MemberView[]> {
	if (onlineCount === 0) return listNewest(viewer, MAX_PEOPLE)
	// Two lists have two headings, and the second one takes the place of a row.
	const enough = MAX_PEOPLE - 1
	const [online, newest] = await Promise.all([
		listOnline(viewer, MAX_PEOPLE),
		onlineCount < enough ? listNewest(viewer, enough) : [],
	])
	const others = newest.filter(({ username }) => !online.some((member) => member.username === username))
	return [...online, ...others.slice(0, Math.max(0, enough - online.length))]
}

type Within = NonNullable<HomeView['lead']>['within']

/** The shortest period that contains the newest question, so that the heading is true. */
function windowOf(newest: string | undefined, today: Date): { since: Date; within: Within } | null {
	if (!newest) return null
	const windows: { since: Date; within: Within }[] = [
		{ since: today, within: 'today' },
		{ since: new Date(today.getTime() - 7 * DAY_MS), within: 'this week' },
		{ since: new Date(today.getTime() - 30 * DAY_MS), within: 'this month' },
	]
	return windows.find(({ since }) => since <= new Date(newest)) ?? { since: new Date(0), within: 'lately' }
}

const MAX_LINES = 8

/** The page needs only the excerpt of a text and its first short code block. */
function leadOf({
	description: _text,
	descriptionHtml,
	editedAt: _edited,
	origin: _origin,
	...card
}: QuestionPageView): LeadView {
	const code = /<pre[\s>][\s\S]*?<\/pre>/.exec(descriptionHtml)?.[0] ?? ''
	return { ...card, codeHtml: code.split('\n').length <= MAX_LINES && code.length < 4_000 ? code : '' }
}
