import { ArrowDown, ArrowUp } from 'lucide'
import type { FormEvent } from 'react'
import { isClosed } from '~/features/questions/questions.policy.ts'
import { permalinkOf } from '~/features/search/search.view.ts'
import { loginPath } from '~/lib/addresses.ts'
import { Count } from '~/ui/count.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { usePress } from '~/ui/use-press.ts'
import type { CommentView } from '../comment.view.ts'
import { type ShownQuestion, threadAfter, useDiscussion } from './discussion-context.ts'

type Vote = CommentView['vote']

/** A question's votes and the handlers of their buttons: rendered in two places, of which each screen width shows one. */
export function useQuestionVotes(question: ShownQuestion, signedIn: boolean): Ballot {
	const fields = { query: question.id }
	const ballot = usePress<Vote>('/forum/vote', fields, { value: question.vote, count: question.score })
	return {
		...ballot,
		fields,
		isFixed: question.own || isClosed(question),
		signedIn,
		login: question.url,
		name: 'this query',
	}
}

interface Ballot {
	value: Vote
	count: number
	press: (vote: Vote) => void
	fields: Record<string, string | number>
	/** Members cannot vote on their own texts, and nobody on what is not published. */
	isFixed: boolean
	/** Visitors are sent to the login page. */
	signedIn: boolean
	/** Where a visitor returns after the login. */
	login: string
	/** The label of what is voted on. */
	name: string
}

/** The votes of a question: a column from 640 px, below that a row under the text. */
export function QuestionVotes({ ballot, place }: { ballot: Ballot; place: 'column' | 'row' }) {
	const column = place === 'column'
	return (
		<div className={column ? 'row-span-2 max-sm:hidden' : 'pr-2 sm:hidden'}>
			{ballot.isFixed ? (
				<p className={column ? 'flex flex-col items-center pt-5' : ''}>
					<span className={`num font-semibold text-ink ${column ? 'text-lg' : 'text-md'}`}>
						<Count of={ballot.count} />
					</span>{' '}
					<span className="meta">{votes(ballot.count)}</span>
				</p>
			) : (
				<Buttons
					ballot={ballot}
					className={`flex items-center ${column ? 'flex-col' : '-ml-2'}`}
					button="icon-btn"
					icon={column ? 'icon-lg' : ''}
					number={`font-semibold ${column ? 'text-lg' : 'text-md text-ink'}`}
				/>
			)}
		</div>
	)
}

/** The votes of a comment, below its text. */
export function CommentVotes({ comment }: { comment: CommentView }) {
	const facts = useDiscussion()
	const { id, score, vote, own, author } = comment
	const fields = { query: questionIdOf(facts.url), comment: id, thread: threadAfter(facts, id, 0) ?? '' }
	const press = usePress<Vote>('/forum/vote', fields, { value: vote, count: score })
	if (own || facts.closed)
		return (
			<span className="px-2">
				<span className="num">
					<Count of={press.count} />
				</span>{' '}
				{votes(press.count)}
			</span>
		)
	const name = author ? `the comment of ${author.name}` : 'this comment'
	const login = `${facts.here}#comment-${id}`
	return (
		<Buttons
			ballot={{ ...press, fields, isFixed: false, signedIn: facts.signedIn, login, name }}
			className="mr-1 flex items-center"
			button="icon-btn icon-btn-sm"
			icon="icon-sm"
			number={`min-w-4 text-center ${press.value === 0 ? '' : 'font-semibold text-ivy'}`}
		/>
	)
}

interface ButtonsProps {
	ballot: Ballot
	className: string
	button: string
	icon: string
	number: string
}

function Buttons({ ballot, className, button, icon, number }: ButtonsProps) {
	const { value, count, press, fields, signedIn, login, name } = ballot
	const figure = (
		<span className={`num ${number}`}>
			<span className="sr-only print:not-sr-only">Votes </span>
			<Count of={count} />
		</span>
	)
	if (!signedIn)
		return (
			<span className={className}>
				<Link className={button} to={loginPath(login)} rel="nofollow" aria-label="Log in to vote up">
					<Icon of={ArrowUp} className={icon} />
				</Link>
				{figure}
				<Link className={button} to={loginPath(login)} rel="nofollow" aria-label="Log in to vote down">
					<Icon of={ArrowDown} className={icon} />
				</Link>
			</span>
		)
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault()
		const pressed = (event.nativeEvent as SubmitEvent).submitter as HTMLButtonElement | null
		press(Number(pressed?.value) as Vote)
	}
	const side = (vote: 1 | -1) => ({
		className: `${button} ${value === vote ? 'text-ivy' : ''}`,
		type: 'submit' as const,
		name: 'value',
		value: value === vote ? 0 : vote,
		'aria-pressed': value === vote,
		// The second half of a double click would undo the vote.
		onClick: (event: { detail: number; preventDefault: () => void }) => event.detail > 1 && event.preventDefault(),
	})
	return (
		<Form method="post" action="/forum/vote" onSubmit={submit}>
			{Object.entries(fields).map(([field, of]) => (
				<input key={field} type="hidden" name={field} value={of} />
			))}
			<fieldset className={className} aria-label={`Votes on ${name}`}>
				<button {...side(1)} aria-label="Vote up">
					<Icon of={ArrowUp} className={icon} />
				</button>
				{figure}
				<button {...side(-1)} aria-label="Vote down">
					<Icon of={ArrowDown} className={icon} />
				</button>
			</fieldset>
		</Form>
	)
}

function votes(count: number): string {
	return Math.abs(count) === 1 ? 'vote' : 'votes'
}

function questionIdOf(url: string): string {
	return permalinkOf(url).split('/').at(-1) ?? ''
}
