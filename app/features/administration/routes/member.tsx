import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { MemberMail } from '~/features/bounces/components/member-mail.tsx'
import { MemberIdentities } from '~/features/campus-login/components/member-identities.tsx'
import { ActForms, DetachedActError } from '~/features/moderation/components/act-forms.tsx'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { logOutMember } from '~/features/moderation/members.server.ts'
import { MEMBER_SUBJECT, mayLogOut } from '~/features/moderation/moderation.policy.ts'
import { getCase } from '~/features/moderation/queue.server.ts'
import { profilePath, withParams } from '~/lib/addresses.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { pluralize } from '~/lib/text.ts'
import { requireAdmin, type Viewer } from '~/lib/viewer.ts'
import { type Input, readForm, refuseForm } from '~/platform/http/form.server.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Field, Select } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { requirePageAdmin } from '../admins.server.ts'
import { AdminFrame, Fact } from '../components/admin-frame.tsx'
import {
	changeRole,
	clearBounceMarksOf,
	confirmAddressOf,
	deleteAccountOf,
	renameMember,
	requestMemberArchive,
	resetLostFactor,
	unlinkIdentityOf,
} from '../members/acts.server.ts'
import { getMember } from '../members/members.server.ts'
import { type MemberDetail, memberAdminPath, memberForms, membersPath, roles } from '../members/members.view.ts'
import type { Route } from './+types/member'

export function loader({ request, params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageAdmin({ request, context, url })
		const member = await getMember(viewer, params.username)
		const entry = await getCase(viewer, { kind: MEMBER_SUBJECT, name: params.username })
		const mayEnd = mayLogOut(viewer, entry)
		// Forms on this page return to it.
		return { member, mayEnd, caseUrl: entry.caseUrl, entry: { ...entry, caseUrl: memberAdminPath(member.username) } }
	})
}

/** Actions on the account, which require a confirmed identity, with their notices. */
const accountActs: Record<string, (...call: [Viewer, string, Input]) => Promise<string>> = {
	async role(viewer, username, input) {
		return `The role is now ${await changeRole(viewer, username, input)}.`
	},
	async confirm(viewer, username) {
		await confirmAddressOf(viewer, username)
		return 'The address is confirmed.'
	},
	async 'clear-mail'(viewer, username) {
		await clearBounceMarksOf(viewer, username)
		return 'Notifications are mailed again.'
	},
	async 'second-factor'(viewer, username, input) {
		await resetLostFactor(viewer, username, 'second factor', input)
		return 'The second factor is off, and they are logged out everywhere.'
	},
	async passkeys(viewer, username, input) {
		await resetLostFactor(viewer, username, 'passkeys', input)
		return 'The passkeys are removed, and they are logged out everywhere.'
	},
	async unlink(...call) {
		await unlinkIdentityOf(...call)
		return 'Unlinked, and they are logged out everywhere.'
	},
	async 'log-out'(viewer, username) {
		await logOutMember(viewer, username)
		return 'Logged out everywhere.'
	},
	async archive(viewer, username, input) {
		await requestMemberArchive(viewer, username, input)
		return 'The archive is being made. The member gets an email.'
	},
	async delete(viewer, username, input) {
		await deleteAccountOf(viewer, username, input)
		return 'The account will be deleted in 14 days, unless its member logs in and keeps it.'
	},
}

/** One of the actions above, or a rename (`intent` rename); others are actions of moderation. */
export async function action({ request, params: { username }, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	const { intent: sent = '', ...input } = Object.fromEntries(form)
	const intent = String(sent)
	const done = (message: string, name = username) => redirectWithSuccess(memberAdminPath(name), message)
	try {
		const admin = requireAdmin(viewer)
		const accountAct = Object.hasOwn(accountActs, intent) ? accountActs[intent] : undefined
		if (accountAct || intent === 'rename') await requireConfirmed(admin, request)
		if (accountAct) return done(await accountAct(viewer, username, input))
		if (intent === 'rename') return done('The username was changed.', await renameMember(viewer, username, input))
		return done(await decideCase(viewer, { kind: MEMBER_SUBJECT, name: username, act: intent }, input))
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ loaderData, matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: loaderData ? `${loaderData.member.name}: member` : 'Member', noindex: true })
}

export default function Member({ loaderData, actionData: refusal }: Route.ComponentProps) {
	const { member, mayEnd, entry, caseUrl } = loaderData
	const of = (intent: string) => (refusal?.values.intent === intent ? refusal : null)
	return (
		<AdminFrame title={member.name}>
			<Links member={member} caseUrl={caseUrl} />
			<DetachedActError entry={entry} refusal={refusal ?? null} others={memberForms(member, mayEnd)} />
			<Facts member={member} />
			<RoleForm key={member.role} member={member} refusal={of('role')} />
			<RenameForm key={member.username} member={member} refusal={of('rename')} />
			{!member.isConfirmed && (
				<Plain
					member={member}
					intent="confirm"
					title="Address"
					label="Confirm the address"
					text={`Marks ${member.email} as confirmed. Do this only if you know that it is theirs.`}
					refusal={of('confirm')}
				/>
			)}
			<MemberMail problems={member.problems} action={memberAdminPath(member.username)} refusal={of('clear-mail')} />
			{member.hasSecondFactor && (
				<Plain
					member={member}
					intent="second-factor"
					title="Second factor"
					label="Reset the second factor"
					text="For members who lost their phone and their recovery codes. First make sure that it is them: afterwards, their password is enough to log in. They get a mail, and are logged out everywhere."
					refusal={of('second-factor')}
					asksWhy
				/>
			)}
			{member.passkeys > 0 && (
				<Plain
					member={member}
					intent="passkeys"
					title="Passkeys"
					label={member.passkeys === 1 ? 'Remove the passkey' : `Remove all ${member.passkeys} passkeys`}
					text="For members who lost a device. They have to log in another way, and add new passkeys. They get a mail, and are logged out everywhere."
					refusal={of('passkeys')}
					asksWhy
				/>
			)}
			<MemberIdentities linked={member.linked} action={memberAdminPath(member.username)} refusal={of('unlink')}>
				<WhyField intent="unlink" refusal={of('unlink')} />
			</MemberIdentities>
			{mayEnd && (
				<Plain
					member={member}
					intent="log-out"
					title="Sessions"
					label="Log out everywhere"
					text="Ends every session and access token. They can log in again."
					refusal={of('log-out')}
				/>
			)}
			<DataForms member={member} refusal={refusal ?? null} />
			<ActForms entry={entry} refusal={refusal ?? null} />
		</AdminFrame>
	)
}

function Links({ member, caseUrl }: { member: MemberDetail; caseUrl: string }) {
	return (
		<p className="mt-4 flex flex-wrap gap-x-4 gap-y-2">
			<Link className="link" to={membersPath}>
				All members
			</Link>
			<Link className="link" to={profilePath(member.username)}>
				Profile
			</Link>
			<Link className="link" to={caseUrl}>
				{member.reports > 0 ? `Case (${pluralize(member.reports, 'report')})` : 'Case'}
			</Link>
			<Link className="link" to={withParams('/moderation/log', { member: member.username })}>
				Log
			</Link>
			<Link className="link" to={`${memberAdminPath(member.username)}/merge`}>
				Merge into another account
			</Link>
		</p>
	)
}

function Facts({ member }: { member: MemberDetail }) {
	const { suspendedUntil } = member
	return (
		<dl className="mt-4 grid items-baseline gap-x-4 sm:grid-cols-[9rem_1fr] sm:gap-y-2 max-sm:[&>dd]:mb-2">
			<Fact name="Username">@{member.username}</Fact>
			<Fact name="Address">
				{member.email}, {member.isConfirmed ? 'confirmed' : 'not confirmed'}
			</Fact>
			<Fact name="Role">{[member.role, member.roleSource].filter(Boolean).join(', ')}</Fact>
			<Fact name="Registered">
				<LocalTime at={member.registeredAt} />
			</Fact>
			<Fact name="Last login">{member.loggedInAt ? <LocalTime at={member.loggedInAt} /> : 'never'}</Fact>
			<Fact name="Ways to log in">{member.logins.join(', ') || 'none'}</Fact>
			<Fact name="Logged in">
				{pluralize(member.sessions, 'session')}, {pluralize(member.tokens, 'access token')}
			</Fact>
			<Fact name="Wrote">
				{pluralize(member.questions, 'query', 'queries')}, {pluralize(member.comments, 'comment')}
			</Fact>
			{(member.campus || member.leftCampusAt || member.year) && (
				<Fact name={member.campus || member.leftCampusAt ? 'University' : 'Year of passing'}>
					{[member.campus, member.leftCampusAt && 'has left', member.year].filter(Boolean).join(', ')}
				</Fact>
			)}
			{member.cohort && <Fact name="Cohort">{member.cohort}</Fact>}
			{suspendedUntil && (
				<Fact name="Suspended">{suspendedUntil === 'infinity' ? 'for ever' : <LocalTime at={suspendedUntil} />}</Fact>
			)}
			{member.leavesAt && (
				<Fact name="Deletion">
					<LocalTime at={member.leavesAt} />, unless the member logs in and keeps the account
				</Fact>
			)}
			{member.isHidden && <Fact name="Profile">hidden from others</Fact>}
		</dl>
	)
}

interface ActProps {
	member: MemberDetail
	refusal: FormRefusal | null
}

/** The reason for an act; the page has several such fields. */
function WhyField({ intent, refusal }: { intent: string; refusal: FormRefusal | null }) {
	return (
		<Field
			label="Why"
			name="why"
			id={`${intent}-why`}
			defaultValue={refusal?.values.why ?? ''}
			error={refusal?.errors.why}
			hint="Admins see this in the log."
		/>
	)
}

function RoleForm({ member: { username, role }, refusal }: ActProps) {
	const here = memberAdminPath(username)
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby="role-head">
			<SectionHeading id="role-head" title="Role" />
			<Form method="post" action={here} className="mt-2 grid gap-4" replace>
				<FormError errors={refusal?.errors} names={{ role: 'Role', why: 'Why' }}>
					{refusal?.message}
				</FormError>
				<Select
					label="Role"
					name="role"
					defaultValue={refusal?.values.role ?? role}
					error={refusal?.errors.role}
					hint="Moderators decide about reports and manage terms. Admins also manage members and categories."
				>
					{roles.map((one) => (
						<option key={one}>{one}</option>
					))}
				</Select>
				<WhyField intent="role" refusal={refusal} />
				<p>
					<SubmitButton busyLabel="Saving..." className="btn btn-outline" action={here} name="intent" value="role">
						Change role
					</SubmitButton>
				</p>
			</Form>
		</section>
	)
}

function RenameForm({ member: { username }, refusal }: ActProps) {
	const here = memberAdminPath(username)
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby="rename-head">
			<SectionHeading id="rename-head" title="Username" />
			<Form method="post" action={here} className="mt-2 grid gap-4" replace noValidate>
				<FormError errors={refusal?.errors} names={{ username: 'New username', why: 'Why' }}>
					{refusal?.message}
				</FormError>
				<Field
					label="New username"
					name="username"
					autoComplete="off"
					autoCapitalize="none"
					defaultValue={refusal?.values.username ?? ''}
					error={refusal?.errors.username}
					hint={`Links to @${username} will redirect to the new name, and nobody else can take the old one.`}
				/>
				<WhyField intent="rename" refusal={refusal} />
				<p>
					<SubmitButton busyLabel="Saving..." className="btn btn-outline" action={here} name="intent" value="rename">
						Change username
					</SubmitButton>
				</p>
			</Form>
		</section>
	)
}

/** What a member may ask an admin to do for them: an archive of their data, and deletion. */
function DataForms({ member: { username, leavesAt }, refusal }: ActProps) {
	const here = memberAdminPath(username)
	const of = (intent: string) => (refusal?.values.intent === intent ? refusal : null)
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby="data-head">
			<SectionHeading id="data-head" title="Their data" />
			<Form method="post" action={here} className="mt-2 grid gap-3" replace>
				<FormError errors={of('archive')?.errors} names={{ why: 'Why' }}>
					{of('archive')?.message}
				</FormError>
				<p className="text-ink-2">
					Makes an archive of everything that is stored about the member. Only the member can download it.
				</p>
				<WhyField intent="archive" refusal={of('archive')} />
				<p>
					<SubmitButton className="btn btn-outline" action={here} name="intent" value="archive">
						Make an archive
					</SubmitButton>
				</p>
			</Form>
			{leavesAt === null && <DeletionForm here={here} refusal={of('delete')} />}
		</section>
	)
}

function DeletionForm({ here, refusal }: { here: string; refusal: FormRefusal | null }) {
	return (
		<Form method="post" action={here} className="mt-6 grid gap-3" replace>
			<FormError errors={refusal?.errors} names={{ texts: 'What they wrote in the forum', why: 'Why' }}>
				{refusal?.message}
			</FormError>
			<p className="text-ink-2">
				Logs the member out, hides the profile, and deletes the account in 14 days unless the member logs in and keeps
				it.
			</p>
			<Select
				label="What they wrote in the forum"
				name="texts"
				defaultValue={refusal?.values.texts ?? 'keep'}
				error={refusal?.errors.texts}
			>
				<option value="keep">Stays under “Former member”</option>
				<option value="remove">Is deleted, apart from what others built on</option>
			</Select>
			<WhyField intent="delete" refusal={refusal} />
			<p>
				<SubmitButton className="btn btn-danger" action={here} name="intent" value="delete">
					Delete the account
				</SubmitButton>
			</p>
		</Form>
	)
}

interface PlainProps extends ActProps {
	intent: string
	title: string
	label: string
	text: string
	asksWhy?: boolean
}

/** A form without fields, or with a reason only. */
function Plain({ member: { username }, intent, title, label, text, refusal, asksWhy }: PlainProps) {
	const here = memberAdminPath(username)
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby={`${intent}-head`}>
			<SectionHeading id={`${intent}-head`} title={title} />
			<Form method="post" action={here} className="mt-2 grid gap-3" replace>
				<FormError errors={refusal?.errors} names={{ why: 'Why' }}>
					{refusal?.message}
				</FormError>
				<p className="text-ink-2 wrap-anywhere">{text}</p>
				{asksWhy && <WhyField intent={intent} refusal={refusal} />}
				<p>
					<SubmitButton className="btn btn-outline" action={here} name="intent" value={intent}>
						{label}
					</SubmitButton>
				</p>
			</Form>
		</section>
	)
}
