import type { AuthorView } from '~/features/members/members.view.ts'
import { profilePath } from '~/lib/addresses.ts'
import { textOfHtml } from '~/lib/html.ts'
import { shorten } from '~/lib/page-meta.ts'
import type { CommentView } from '../comment.view.ts'
import type { ShownQuestion } from './discussion-context.ts'

/** Search engines show a few lines; more would only make the page larger. */
const MAX_TEXT_LENGTH = 1_000
const MAX_ANSWERS = 30

interface Discussed {
	accepted: CommentView[]
	threads: CommentView[]
}

/** A question and its answers as schema.org's QAPage. `publicUrl` is the site's address without a slash at the end. */
export function qaPage(question: ShownQuestion, { accepted, threads }: Discussed, publicUrl: string) {
	const present = (comment: CommentView) => ({
		'@type': 'Answer',
		text: schemaText(comment.bodyHtml),
		datePublished: comment.createdAt,
		upvoteCount: Math.max(0, comment.score),
		url: `${publicUrl}${question.url}#comment-${comment.id}`,
		author: comment.author ? person(comment.author, publicUrl) : undefined,
	})
	const suggested = threads.filter(({ deleted }) => !deleted).slice(0, MAX_ANSWERS)
	return {
		'@context': 'https://schema.org',
		'@type': 'QAPage',
		mainEntity: {
			'@type': 'Question',
			name: question.title,
			text: schemaText(question.descriptionHtml),
			answerCount: question.commentCount,
			upvoteCount: Math.max(0, question.score),
			datePublished: question.createdAt,
			dateModified: question.editedAt ?? undefined,
			url: `${publicUrl}${question.url}`,
			author: person(question.author, publicUrl),
			acceptedAnswer: accepted.length > 0 ? accepted.map(present) : undefined,
			suggestedAnswer: suggested.length > 0 ? suggested.map(present) : undefined,
		},
	}
}

/** The plain text of rendered HTML, at most 1,000 characters. */
export function schemaText(html: string): string {
	return shorten(textOfHtml(html), MAX_TEXT_LENGTH)
}

function person({ username, name, pseudonym }: AuthorView, publicUrl: string) {
	return { '@type': 'Person', name, url: pseudonym ? undefined : publicUrl + profilePath(username) }
}
