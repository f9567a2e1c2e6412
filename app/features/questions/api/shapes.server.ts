import { z } from 'zod'
import type { CategoryView, CommentView, QueryCardView, QueryPageView, TagView } from '../question.view.ts'
import { limits } from '../questions.limits.ts'
import { askInput, commentInput } from '../questions.schema.ts'

/* What the API takes and tells of the forum. The views of the pages fit these shapes; the compiler says when one does not. */

export const time = z.string().meta({ format: 'date-time' })
const markdown = 'Markdown, as it was written.'
const html = 'The same as sanitized HTML.'

export const author = z.object({
	username: z.string(),
	name: z.string(),
	image: z.string().nullable().describe('Path of the picture.'),
})

const origin = z
	.object({ url: z.string().nullable(), licence: z.string().nullable() })
	.nullable()
	.describe('Where an imported text comes from.')

export const voteValue = z.literal([1, 0, -1]).describe('Your vote: 1 up, -1 down, 0 none.')
/** A caller's vote on a text. */
const vote = {
	vote: voteValue,
	own: z.boolean().describe('Whether you wrote it; nobody votes on their own.'),
}

const withheld = z
	.object({ state: z.string(), reason: z.string() })
	.nullable()
	.describe('Why others cannot see it; null if they can.') as z.ZodType<
	QueryPageView['withheld'],
	QueryPageView['withheld']
>

const rights = { mayEdit: z.boolean(), mayDelete: z.boolean() }

const queryCard = z.object({
	id: z.int(),
	url: z.string().describe('Path of its page.'),
	title: z.string(),
	titleHtml: z.string().optional().describe('With matches marked; only in a search.'),
	excerpt: z.string(),
	excerptHtml: z.string().optional().describe('With matches marked; only in a search.'),
	commentMatch: z
		.object({ url: z.string().describe('Path that leads to it.'), author: z.string(), html: z.string() })
		.optional()
		.describe(
			'The comment that matches, with matches marked; only in a search, when nothing else of the query matches.',
		),
	category: z.object({ slug: z.string(), title: z.string() }),
	author,
	tags: z.array(z.string()),
	createdAt: time,
	score: z.int(),
	commentCount: z.int(),
	solved: z.boolean(),
	...rights,
}) satisfies z.ZodType<QueryCardView, QueryCardView>

export const query = queryCard.extend({
	description: z.string().describe(markdown),
	descriptionHtml: z.string().describe(html),
	version: z.int().describe('Raised by every edit.'),
	editedAt: time.nullable(),
	deletedBy: z
		.enum(['author', 'moderator'])
		.nullable()
		.describe('Who deleted it, if only the comments of others remain.'),
	locked: z.boolean().describe('Whether nobody may comment any more.'),
	withheld,
	...vote,
	origin,
}) satisfies z.ZodType<QueryPageView, QueryPageView>

export const comment: z.ZodType<CommentView, CommentView> = z.object({
	id: z.int(),
	author: author.nullable().describe('null if it was deleted and has replies.'),
	body: z.string().nullable().describe(`${markdown} Only for those who may edit it.`),
	bodyHtml: z.string().describe(html),
	createdAt: time,
	editedAt: time.nullable(),
	version: z.int().describe('Raised by every edit.'),
	deleted: z.boolean(),
	withheld,
	solution: z.boolean(),
	chosenAt: time.nullable().describe('When it was chosen as a solution; null when that is not known.'),
	mayChoose: z.boolean(),
	...vote,
	score: z.int(),
	depth: z.int(),
	byAsker: z.boolean(),
	...rights,
	origin,
	get replies() {
		return z.array(comment)
	},
	hiddenReplies: z.int().describe('How many more replies there are; read them with ?thread= and this id.'),
})

export const category = z.object({
	slug: z.string(),
	title: z.string(),
	count: z.int().describe('How many queries it has.'),
}) satisfies z.ZodType<CategoryView, CategoryView>

export const tag = z.object({
	name: z.string(),
	count: z.int().describe('How many queries have it.'),
}) satisfies z.ZodType<TagView, TagView>

export const tagPage = tag.extend({
	description: z.string().describe('Plain text, empty when nobody wrote one.'),
	synonyms: z.array(z.string()).describe('Other spellings, which lead here.'),
	following: z.boolean().describe('Whether you follow it.'),
})

export const next = z.string().nullable().describe('The cursor of the next page; null at the end.')

export const queryList = z.object({ rows: z.array(queryCard), next })
export const commentPage = z.object({
	rows: z.array(comment),
	next,
	solutions: z.array(comment).describe('The solutions of the query, at most 10.'),
})
export const categoryList = z.object({ rows: z.array(category) })
export const tagList = z.object({ rows: z.array(tag) })

/** The limits as the description tells them; the schemas of the forms are what decides. */
const { title, description, tags, category: place } = askInput.shape
export const newQuery = z.strictObject({
	title: title.meta({ minLength: limits.titleMin, maxLength: limits.titleMax }),
	description: description.meta({ minLength: 1, maxLength: limits.descriptionMax, description: 'Markdown.' }),
	tags: tags.meta({ description: `1 to ${limits.tagsMax} tags, as a list or separated by commas.` }),
	category: place.meta({ description: 'Slug of a category.' }),
})
const madeFrom = z
	.int()
	.min(1)
	.optional()
	.describe('The version you edited. 409 if a newer one was saved; if left out, the last edit wins.')
export const changedQuery = newQuery.partial().extend({ version: madeFrom })
const body = commentInput.shape.body.meta({ minLength: 1, maxLength: limits.commentMax, description: 'Markdown.' })
export const newComment = z.strictObject({
	body,
	parentId: z.int().nullable().optional().describe('The comment that this replies to.'),
})
export const changedComment = z.strictObject({ body, version: madeFrom })

/** Under which names the description knows these shapes. */
export const forumShapes = {
	QueryCard: queryCard,
	Query: query,
	QueryList: queryList,
	Comment: comment,
	CommentPage: commentPage,
	Category: category,
	CategoryList: categoryList,
	Tag: tag,
	TagPage: tagPage,
	TagList: tagList,
	NewQuery: newQuery,
	ChangedQuery: changedQuery,
	NewComment: newComment,
	ChangedComment: changedComment,
}
