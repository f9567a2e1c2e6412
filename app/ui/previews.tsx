import type { ComponentType, ReactNode } from 'react'
import { useState } from 'react'
import { toast } from '~/shell/toast.ts'
import { ToastCard } from '~/shell/toaster.tsx'
import { Avatar } from './avatar.tsx'
import { ChipsField } from './chips-field.tsx'
import { SuggestField } from './combobox.tsx'
import { Dialog } from './dialog.tsx'
import { Checkbox, Field, Select, TextArea } from './field.tsx'
import { FormError } from './form-error.tsx'
import { Form } from './link.tsx'
import { EmptyState, Skeleton } from './list-states.tsx'
import { LocalTime } from './local-time.tsx'
import { PasswordField } from './password-field.tsx'
import { Presence } from './presence.tsx'
import { Prose } from './prose.tsx'
import { SectionHeading } from './section-heading.tsx'
import { Spinner, SubmitButton } from './submit-button.tsx'
import { RelativeTime } from './time.tsx'

/*
 * All components in all states, for development only (`/previews`). A feature adds its own in a file that ends in `.previews.tsx`,
 * whose default export is a section.
 */

const ofFeatures = Object.entries(
	import.meta.glob<{ default: ComponentType }>('../features/*/*.previews.tsx', { eager: true }),
)

const people = [
	'Mira Quillon',
	'Bram Oystergate',
	'Ishani Paperwala',
	'Kesar Moonjani',
	'Farrukh Tidewell',
	'Cher',
].map((name) => ({
	username: name.toLowerCase().replace(' ', '.'),
	name,
	image: null,
}))

const sizes = [20, 24, 32, 40, 48, 112] as const

/** Slow on purpose, to show the busy button. */
export async function action() {
	await new Promise((resolve) => setTimeout(resolve, 1_500))
	return null
}

export default function Previews() {
	return (
		<div className="pt-8">
			<h1 className="text-2xl font-bold">Previews</h1>
			<Buttons />
			<Fields />
			<People />
			<Texts />
			<Floating />
			<Waiting />
			{ofFeatures.map(([path, { default: Preview }]) => (
				<Preview key={path} />
			))}
		</div>
	)
}

function Group({ title, children }: { title: string; children: ReactNode }) {
	return (
		<section className="mt-8">
			<SectionHeading title={title} />
			<div className="flex flex-wrap items-start gap-4 py-2">{children}</div>
		</section>
	)
}

const kinds = ['btn-primary', 'btn-accent', 'btn-outline', 'btn-ghost', 'btn-danger', 'btn-text-danger']

function Buttons() {
	return (
		<Group title="Buttons">
			{kinds.map((kind) => (
				<div key={kind} className="grid justify-items-start gap-2">
					<button type="button" className={`btn btn-sm ${kind}`}>
						Small
					</button>
					<button type="button" className={`btn ${kind}`}>
						{kind.slice(4)}
					</button>
					<button type="button" className={`btn btn-lg ${kind}`}>
						Large
					</button>
					<button type="button" className={`btn ${kind}`} disabled>
						Disabled
					</button>
					<button type="button" className={`btn ${kind}`} disabled aria-busy="true">
						<Spinner /> Saving...
					</button>
				</div>
			))}
			<Form method="post" action="/previews">
				<SubmitButton busyLabel="Saving...">Save for 1.5 s</SubmitButton>
			</Form>
		</Group>
	)
}

function Fields() {
	return (
		<Group title="Fields">
			<div className="grid w-full max-w-md gap-5">
				<FormError>The email or password is wrong.</FormError>
				<Field
					label="Email"
					name="email"
					type="email"
					placeholder="you@campus.example"
					hint="We never show it unless you say so."
				/>
				<Field label="Title" name="title" defaultValue="Why" error="A title needs at least 8 characters." />
				<Field label="Email" name="fixed" defaultValue="mira@eastmere.example" disabled />
				<PasswordField label="Password" name="password" aside={<span className="hint">8 to 128 characters</span>} />
				<PasswordField label="Password" name="wrong" id="wrong" error="This password is too common." />
				<Field label="Phone" name="phone" optional />
				<ChipsField
					label="Skills"
					name="skills"
					defaultValue="React, Go"
					most={5}
					longest={50}
					source="/suggest/skills"
				/>
				<SuggestField label="University" name="university" defaultValue="" source="/suggest/universities" />
				<Checkbox name="listed" defaultChecked hint="One line that says what it does.">
					Appear in the community list
				</Checkbox>
				<Checkbox name="shown" disabled>
					Disabled
				</Checkbox>
				<TextArea label="About" name="about" hint="At most 2,000 characters." />
				<TextArea label="Description" name="description" error="Say a little more." />
				<Select label="Category" name="category" defaultValue="others">
					<option value="others">Others</option>
					<option value="python">Python</option>
				</Select>
			</div>
		</Group>
	)
}

function People() {
	return (
		<>
			<Group title="Avatars">
				{sizes.map((size) => (
					<div key={size} className="flex gap-3">
						{people.slice(0, size === 112 ? 2 : 6).map((user, index) => (
							<Avatar key={user.username} user={user} size={size} online={index < 2 ? index === 0 : undefined} />
						))}
					</div>
				))}
				<Avatar
					user={{ username: 'broken', name: 'Broken Picture', image: `profiles/broken/${'0'.repeat(32)}` }}
					size={48}
				/>
			</Group>
			<Group title="Presence">
				<Presence online />
				<Presence online={false} />
			</Group>
		</>
	)
}

const prose = `<p>Use <code>useEffect</code> with a <strong>cleanup</strong>, and read <a href="/forum">the forum</a>.</p>
<ul><li>One</li><li>Two</li></ul><blockquote><p>It depends.</p></blockquote>`

function Texts() {
	const [now] = useState(() => Date.now())
	const ages = [10, 60 * 18, 3_600 * 3, 3_600 * 30, 86_400 * 5, 86_400 * 40, 86_400 * 800]
	return (
		<>
			<Group title="Times">
				{ages.map((age) => (
					<RelativeTime key={age} at={new Date(now - age * 1_000).toISOString()} />
				))}
				<LocalTime at="2026-11-21T05:12:33.000Z" />
			</Group>
			<Group title="Prose">
				<Prose html={prose} />
				<Prose html={prose} small />
			</Group>
			<Group title="Chips, tags, marks">
				<span className="chip">React</span>
				<span className="chip" data-selected>
					Python
				</span>
				<a className="tag" href="/forum/tag/react">
					react
				</a>
				<span className="cat">JavaScript</span>
				<span className="badge">5</span>
				<span className="kbd">/</span>
				<span className="handle">@mira.quillon</span>
			</Group>
		</>
	)
}

function Floating() {
	const [open, setOpen] = useState(false)
	const none = () => {}
	return (
		<Group title="Toasts and dialogs">
			<div className="grid w-90 gap-2">
				<ToastCard type="loading" message="Posting your query" paused onDone={none} />
				<ToastCard type="success" message="Query added successfully!" paused onDone={none} />
				<ToastCard type="error" message="Something went wrong. Try again!" paused onDone={none} />
				<ToastCard type="plain" message="Welcome back!" paused onDone={none} />
			</div>
			{(['success', 'error', 'plain', 'loading'] as const).map((type) => (
				<button
					key={type}
					type="button"
					className="btn btn-outline"
					onClick={() => toast({ type, message: `A ${type} toast` })}
				>
					Show {type}
				</button>
			))}
			<button type="button" className="btn btn-outline" onClick={() => setOpen(true)}>
				Open a dialog
			</button>
			<Dialog open={open} onClose={() => setOpen(false)} title="Delete this query?">
				<p className="text-ink-2">Its comments go with it.</p>
				<p className="mt-5 flex justify-end gap-2">
					<button type="button" className="btn btn-ghost" onClick={() => setOpen(false)}>
						Cancel
					</button>
					<button type="button" className="btn btn-danger" onClick={() => setOpen(false)}>
						Delete
					</button>
				</p>
			</Dialog>
		</Group>
	)
}

function Waiting() {
	return (
		<>
			<Group title="Skeleton">
				<Skeleton className="h-4 w-40" />
				<Skeleton className="size-12 rounded-sm" />
			</Group>
			<Group title="Empty">
				<EmptyState
					title="No Query Found !"
					action={
						<a className="btn btn-outline" href="/forum">
							Show all queries
						</a>
					}
				>
					Nothing matches “monad”.
				</EmptyState>
			</Group>
		</>
	)
}
