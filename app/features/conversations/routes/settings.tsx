import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { Outlet } from 'react-router'
import { type BlockedView, listBlocked } from '~/features/members/blocks.server.ts'
import { useRootData } from '~/lib/root-data.ts'
import { chooseSavingConversations, savesConversations } from '~/offline/saved-pages.ts'
import { requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Checkbox } from '~/ui/field.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { ChoiceButtons } from '~/ui/settings-page.tsx'
import { useFocusFallback } from '~/ui/use-focus-kept.ts'
import { getChatSettings } from '../conversations.server.ts'
import type { Route } from './+types/settings'

export function loader({ context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const [settings, blocked] = await Promise.all([getChatSettings(viewer), listBlocked(viewer)])
		return { ...settings, blocked }
	})
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

/** A section of the settings: who may start a conversation, and whether peers see typing. */
export default function ChatSettings({ loaderData: { accepts, showsTyping, blocked } }: Route.ComponentProps) {
	return (
		<>
			<section className="mt-10" aria-labelledby="messages">
				<SectionHeading id="messages" title="Who can write to you" />
				<Choice name="accepts" choices={writers} chosen={accepts} />
				<p className="text-sm text-ink-3">
					The first message from a stranger is a request until you answer. Conversations in which you have both written
					stay open.
				</p>
			</section>
			<section className="mt-10" aria-labelledby="typing">
				<SectionHeading id="typing" title="While you are typing" />
				<Choice name="typing" choices={typing} chosen={showsTyping ? 'shown' : 'hidden'} />
				<p className="text-sm text-ink-3">
					People you write with see when you are typing, unless you hide it here or hide when you are online. You still
					see when others type.
				</p>
			</section>
			<section className="mt-10" aria-labelledby="offline">
				<SectionHeading id="offline" title="Without a connection" />
				<OfflineChoice />
			</section>
			<Blocked members={blocked} />
			<Outlet />
		</>
	)
}

/** The blocked members, each with a button to unblock them. */
function Blocked({ members }: { members: BlockedView[] }) {
	const heading = useRef<HTMLHeadingElement>(null)
	useFocusFallback(members.length, (count, before) => count < before, heading)
	return (
		<section className="mt-10" aria-labelledby="blocked">
			<SectionHeading id="blocked" title="Blocked members" place={heading} />
			{members.length === 0 && <p className="py-2 text-ink-3">You have not blocked anyone.</p>}
			<ul>
				{members.map(({ username, name, image }) => (
					<li key={username} className="flex items-center gap-3 border-b border-line py-3">
						<Avatar user={{ username, name, image }} size={32} />
						<div className="min-w-0 flex-1">
							<Link className="quiet-link block truncate font-semibold" to={`/find-dev/${username}`}>
								{name}
							</Link>
							<p className="meta truncate">@{username}</p>
						</div>
						<Form method="post" action="/settings/messages" preventScrollReset>
							<button
								className="btn btn-sm btn-outline"
								name="unblock"
								value={username}
								type="submit"
								aria-label={`Unblock ${name}`}
							>
								Unblock
							</button>
						</Form>
					</li>
				))}
			</ul>
			<p className="mt-2 text-sm text-ink-3">
				Members you block cannot write to you, comment on or vote for what you wrote, or see when you are online, and
				you get no notifications about them. They are not told. To block someone, use the menu of your conversation with
				them.
			</p>
		</section>
	)
}

function Choice(props: ComponentProps<typeof ChoiceButtons>) {
	return (
		<Form method="post" action="/settings/messages" className="flex flex-wrap gap-2 py-2" preventScrollReset>
			<ChoiceButtons {...props} />
		</Form>
	)
}

/** Whether this browser saves conversations. Not a form, as the server does not know the choice. */
export function OfflineChoice() {
	const { viewer } = useRootData()
	const [saves, setSaves] = useState<boolean | null>(null)

	useEffect(() => {
		if ('caches' in window) setSaves(savesConversations())
	}, [])

	if (saves === null) return <p className="py-2 text-ink-3">Saving pages needs JavaScript and a secure connection.</p>
	// Saved at once, as the reader may leave the page.
	const choose = (wanted: boolean) => {
		setSaves(wanted)
		if (viewer) void chooseSavingConversations(wanted, viewer.username)
	}
	return (
		<div className="py-2">
			<Checkbox
				name="saves-conversations"
				checked={saves}
				onChange={(event) => choose(event.currentTarget.checked)}
				hint="The last 10 you opened, for 7 days. Logging out deletes them. Do not use this on a shared computer."
			>
				Save conversations in this browser
			</Checkbox>
			<p className="mt-2 text-sm text-ink-3">
				The last 30 queries that you open are saved too, so that you can read them without a connection.
			</p>
		</div>
	)
}
