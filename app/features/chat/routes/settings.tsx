import { Form, Outlet } from 'react-router'
import { answering, signedIn } from '~/lib/http.ts'
import { RuleHead } from '~/ui/rule-head.tsx'
import { getChatSettings } from '../settings.server.ts'
import type { Route } from './+types/settings'

export function loader({ context, url }: Route.LoaderArgs) {
	return answering(() => getChatSettings(signedIn(context, url)))
}

const writers = [
	['members', 'Every member'],
	['verified', 'Verified students'],
	['nobody', 'Nobody'],
] as const

const typing = [
	['shown', 'Show it'],
	['hidden', 'Hide it'],
] as const

/** A part of the settings, above those that come after it: who may begin a conversation, and what peers see while one types. */
export default function ChatSettings({ loaderData: { accepts, showsTyping } }: Route.ComponentProps) {
	return (
		<>
			<section className="mt-10" aria-labelledby="messages">
				<RuleHead id="messages" title="Who may write to you" />
				<Choice name="accepts" choices={writers} chosen={accepts} />
				<p className="text-sm text-ink-3">
					What a stranger writes first is a request until you answer. Conversations in which you both wrote stay open.
				</p>
			</section>
			<section className="mt-10" aria-labelledby="typing">
				<RuleHead id="typing" title="While you are typing" />
				<Choice name="typing" choices={typing} chosen={showsTyping ? 'shown' : 'hidden'} />
				<p className="text-sm text-ink-3">
					Whoever you write with sees that you are typing, unless you hide it here or hide when you are online. You
					still see when others type.
				</p>
			</section>
			<Outlet />
		</>
	)
}

interface ChoiceProps {
	name: string
	/** Value and label of each. */
	choices: readonly (readonly [string, string])[]
	chosen: string
}

/** A form that is sent by choosing. */
function Choice({ name, choices, chosen }: ChoiceProps) {
	return (
		<Form method="post" action="/settings/messages" className="flex flex-wrap gap-2 py-2" preventScrollReset>
			{choices.map(([value, label]) => (
				<button
					key={value}
					className="chip h-8 px-3"
					name={name}
					value={value}
					type="submit"
					aria-pressed={chosen === value}
					data-selected={chosen === value ? '' : undefined}
				>
					{label}
				</button>
			))}
		</Form>
	)
}
