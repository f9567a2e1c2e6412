import type { QuestionCardView } from '~/features/questions/question.view.ts'
import { pathOfPicture } from '~/lib/addresses.ts'
import type { Page } from '~/platform/http/cursors.ts'
import type { ForumFrame, ListData, UnansweredView } from '../lists.view.ts'
import { commentBy } from './question-card.tsx'

/*
 * A document contains the rows of its list as HTML. Repeating them as data would add a fifth to its size, so the data omits them, and the
 * browser parses them from the HTML of `question-card.tsx`. The same goes for unanswered questions. For a search result the excerpt is the
 * passage shown.
 */

/** Parsed rows by page: React renders several times, and modifies the document meanwhile. */
const read = new WeakMap<ListData['page'], Page<QuestionCardView>>()

/**
 * A page of a list with its rows.
 * @param page of the loader; without rows if the document has them
 * @returns the same object for the same page
 */
export function pageWithRows(page: ListData['page']): Page<QuestionCardView> {
	if (hasRows(page)) return page
	const known = read.get(page) ?? { rows: [...document.querySelectorAll('.query')].map(readRow), next: page.next }
	read.set(page, known)
	return known
}

function hasRows(page: ListData['page']): page is Page<QuestionCardView> {
	return page.rows !== undefined
}

const waiting = new WeakMap<ForumFrame, UnansweredView[]>()

/** The unanswered questions beside a list. @returns the same object for the same frame */
export function unansweredOf(frame: ForumFrame): UnansweredView[] {
	if (frame.waiting) return frame.waiting
	const known = waiting.get(frame) ?? [...document.querySelectorAll('[aria-labelledby=waiting] li')].map(readWaiting)
	waiting.set(frame, known)
	return known
}

/** @param item as rendered by `forum-layout.tsx` */
function readWaiting(item: Element): UnansweredView {
	const link = item.querySelector('a')
	return {
		url: link?.getAttribute('href') ?? '',
		title: link?.textContent ?? '',
		createdAt: item.querySelector('time')?.dateTime ?? '',
	}
}

/** @param row as rendered by the server */
function readRow(row: Element): QuestionCardView {
	const find = (selector: string) => row.querySelector(selector)
	const textOf = (selector: string) => find(selector)?.textContent ?? ''
	// Only matches of a search are wrapped in an element.
	const markedIn = (selector: string) => find(`${selector} > span`)?.innerHTML
	const titleHtml = markedIn('h2 > a')
	const passage = markedIn('.query-text')
	const countIn = (selector: string) => countOf(find(selector))
	const comment = find(':scope > div > a')
	const url = find('h2 > a')?.getAttribute('href') ?? ''
	const [, , slug = '', username = '', id] = url.split('/')
	return {
		id: Number(id),
		url,
		title: textOf('h2'),
		excerpt: textOf('.query-text'),
		category: { slug, title: textOf('.cat') },
		author: {
			username,
			name: textOf('.query-author > :nth-child(2)'),
			image: pathOfPicture(find('img')?.getAttribute('src') ?? ''),
			// Only members who post under their own name have a link to a profile.
			...(!find('.query-author > a') && { pseudonym: { verified: find('.query-author > [title]') !== null } }),
		},
		tags: [...row.querySelectorAll('.tags > a')].map(({ textContent }) => textContent),
		createdAt: find('time')?.getAttribute('datetime') ?? '',
		score: countIn('.query-votes'),
		commentCount: countIn('.query-comments'),
		solved: find('.answered') !== null,
		mayEdit: find('[aria-label^="Edit query"]') !== null,
		mayDelete: find('[aria-label^="Delete query"]') !== null,
		...(titleHtml !== undefined && { titleHtml }),
		...(passage !== undefined && !comment && { excerptHtml: passage }),
		...(comment && {
			commentMatch: {
				url: comment.getAttribute('href') ?? '',
				author: (comment.textContent ?? '').slice(commentBy.length),
				html: passage ?? '',
			},
		}),
	}
}

/** The number that `Count` shows: for a short one, the whole one is its title. */
function countOf(element: Element | null): number {
	const whole = element?.querySelector('[title]')?.getAttribute('title') ?? element?.textContent ?? ''
	return Number(whole.replaceAll(',', ''))
}
