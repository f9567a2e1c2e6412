import { z } from 'zod'
import { openings } from '~/features/members/self.view.ts'

const minutes = { m: 1, h: 60, d: 1_440 } as const

/** A duration such as 40m, 5h or 12d, in milliseconds. */
const span = z
	.string()
	.regex(/^\d+[mhd]$/, 'must be a number and m, h or d')
	.transform((text) => Number.parseInt(text, 10) * minutes[text.slice(-1) as keyof typeof minutes] * 60_000)

const text = z
	.string()
	.nullish()
	.transform((value) => value?.trim() ?? '')
const date = z
	.string()
	.nullish()
	.transform((value) => value || null)
const links = z.object({
	github: text,
	linkedin: text,
	leetcode: text,
	portfolio: text,
	hackerrank: text,
	codechef: text,
	geeksforgeek: text,
})

/** A member in demo/members.yaml. */
export const demoMember = z.object({
	username: z.string(),
	fullName: z.string(),
	email: z.email(),
	phone: text,
	city: text,
	skills: z.array(z.string()),
	expertise_in: text,
	about: text,
	open_to: z
		.array(z.enum(openings))
		.nullish()
		.transform((list) => list ?? []),
	pronouns: text,
	/** Shown for a week from the first start. */
	status: text,
	/** Whether visitors may open the page. */
	public_page: z.boolean().default(false),
	joined: span,
	academics: z.object({
		university_name: text,
		location: text,
		enrol_in_branch_name: text,
		year_of_passing: z.number(),
		current_semester: z.number(),
		current_year: z.number(),
		enrolment_number: text,
		university_email: text,
	}),
	social_links: links
		.partial()
		.nullish()
		.transform((given) => given ?? {}),
	projects: z
		.array(
			z.object({
				project_title: z.string(),
				project_description: text,
				project_tech_stack: z.array(z.string()),
				project_date: date,
				project_source_code_link: text,
				project_deployment_link: text,
				project_demo_link: text,
			}),
		)
		.nullish()
		.transform((list) => list ?? []),
	experiences: z
		.array(
			z.object({
				kind: z.enum(['education', 'work', 'volunteer']),
				organisation: z.string(),
				title: text,
				degree: text,
				starts: date,
				ends: date,
				summary: text,
			}),
		)
		.nullish()
		.transform((list) => list ?? []),
	certificates: z
		.array(
			z.object({
				certificate_title: z.string(),
				certificate_issue_date: date,
				certificate_expire_date: date,
				credential_verification_link: text,
			}),
		)
		.nullish()
		.transform((list) => list ?? []),
})

export type DemoMember = z.output<typeof demoMember>

export interface DemoComment {
	author: string
	after: number
	score: number
	solution: boolean
	body: string
	replies: DemoComment[]
}

const comment: z.ZodType<DemoComment> = z.lazy(() =>
	z.object({
		author: z.string(),
		after: span,
		score: z.number().int().default(0),
		solution: z.boolean().default(false),
		body: z.string().min(1),
		replies: z
			.array(comment)
			.nullish()
			.transform((list) => list ?? []),
	}),
) as z.ZodType<DemoComment>

/** A question with its thread in demo/questions/{category}.yaml. */
export const demoQuestion = z.object({
	title: z.string().min(8).max(200),
	author: z.string(),
	tags: z.array(z.string()).min(1).max(5),
	asked: span,
	score: z.number().int().default(0),
	body: z.string().min(1),
	comments: z
		.array(comment)
		.nullish()
		.transform((list) => list ?? []),
})

export type DemoQuestion = z.output<typeof demoQuestion>

const demoConversation = z.object({
	between: z.tuple([z.string(), z.string()]),
	/** How many of the last messages are unread. */
	unread: z.number().int().min(0).default(0),
	/** Oldest first; `ago` is relative to the first start. */
	messages: z.array(z.object({ from: z.string(), ago: span, body: z.string().min(1) })).min(1),
})

/** The content of demo/life.yaml: what members do besides asking and answering. */
export const demoLife = z.object({
	conversations: z.array(demoConversation),
	/** Tags by member. */
	follows: z.record(z.string(), z.array(z.string())),
	bookmarks: z.array(z.object({ of: z.string(), title: z.string(), note: z.string() })),
	/** About a question, by its title, or a member. */
	reports: z.array(
		z
			.object({ by: z.string(), reason: z.enum(['spam', 'off-topic', 'abusive', 'other']), details: z.string() })
			.and(z.union([z.object({ title: z.string() }), z.object({ member: z.string() })])),
	),
})

export type DemoConversation = z.output<typeof demoConversation>
export type DemoLife = z.output<typeof demoLife>

const color = z.string().regex(/^#[0-9a-f]{6}$/)

/** A portrait in demo/portraits.yaml: the parts that the picture is composed of. */
export const demoPortrait = z.object({
	username: z.string(),
	ground: color,
	skin: color,
	hair: z.enum(['short', 'curls', 'bob', 'long', 'bun', 'braid', 'scarf']),
	hairColor: color,
	shirt: color,
	extra: z.array(z.enum(['glasses', 'beard'])),
})

export type DemoPortrait = z.output<typeof demoPortrait>
