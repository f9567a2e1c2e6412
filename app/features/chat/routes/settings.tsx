import { Form, Outlet } from 'react-router'
import { answering, signedIn } from '~/lib/http.ts'
import { RuleHead } from '~/ui/rule-head.tsx'
import { getChatSettings } from '../safety.server.ts'
import type { Route } from './+types/settings'

export function loader({ context, url }: Route.LoaderArgs) {
	return answering(() => getChatSettings(signedIn(context, url)))
}

const choices = [
	['members', 'Every member'],
	['verified', 'Verified students'],
	['nobody', 'Nobody'],
] as const

/** A part of the settings, above those that come after it: who may begin a conversation. */
export default function ChatSettings({ loaderData: { accepts } }: Route.ComponentProps) {
	return (
		<>
			<section className="mt-10" aria-labelledby="messages">
				<RuleHead id="messages" title="Who may write to you" />
				<Form method="post" action="/settings/messages" className="flex flex-wrap gap-2 py-2" preventScrollReset>
					{choices.map(([value, label]) => (
						<button
							key={value}
							className="chip h-8 px-3"
							name="accepts"
							value={value}
							type="submit"
							aria-pressed={accepts === value}
							data-selected={accepts === value ? '' : undefined}
						>
							{label}
						</button>
					))}
				</Form>
				<p className="text-sm text-ink-3">
					What a stranger writes first is a request until you answer. Conversations in which you both wrote stay open.
				</p>
			</section>
			<Outlet />
		</>
	)
}
