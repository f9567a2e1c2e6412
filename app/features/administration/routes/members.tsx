import { withParams } from '~/lib/addresses.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Checkbox, Field, Select } from '~/ui/field.tsx'
import { FilterForm, FilterValues } from '~/ui/filter-form.tsx'
import { Link } from '~/ui/link.tsx'
import { EmptyState } from '~/ui/list-states.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { MoreLink } from '~/ui/more-link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { useMore, withoutDuplicates } from '~/ui/use-more.ts'
import { requirePageAdmin } from '../admins.server.ts'
import { AdminFrame } from '../components/admin-frame.tsx'
import { listMembers, readFilters } from '../members/members.server.ts'
import {
	bulkActs,
	bulkPath,
	HIDE_EVERYTHING,
	MAX_BULK_MEMBERS,
	MAX_HIDE_MEMBERS,
	type MemberFilters,
	type MemberSummary,
	memberAdminPath,
	memberStates,
	membersCsvPath,
	membersPath,
} from '../members/members.view.ts'
import type { Route } from './+types/members'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageAdmin({ request, context, url })
		const filters = readFilters(url.searchParams)
		const cursor = url.searchParams.get('cursor') || null
		return { filters, cursor, page: await listMembers(viewer, filters, cursor) }
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Members', noindex: true })
}

export default function Members({ loaderData: { filters, page } }: Route.ComponentProps) {
	const { rows, nextHref, loading, load } = useMore(page, (cursor) => withParams(membersPath, { ...filters, cursor }))
	const members = withoutDuplicates(rows, ({ username }) => username)
	return (
		<AdminFrame title="Members">
			<Filters key={JSON.stringify(filters)} filters={filters} />
			{members.length === 0 ? (
				<EmptyState title="Nobody found">No member matches.</EmptyState>
			) : (
				<form className="mt-4" method="get" action={bulkPath}>
					<FilterValues filters={filters} />
					<ul className="border-t border-line">
						{members.map((member) => (
							<Line key={member.username} member={member} />
						))}
					</ul>
					<ManyForm />
				</form>
			)}
			{nextHref && (
				<p className="mt-6">
					<MoreLink href={nextHref} loading={loading} load={load}>
						Load more members
					</MoreLink>
				</p>
			)}
		</AdminFrame>
	)
}

function Filters({ filters }: { filters: MemberFilters }) {
	return (
		<FilterForm
			path={membersPath}
			csvPath={membersCsvPath}
			filters={filters}
			columns="sm:grid-cols-6"
			submitLabel="Search"
		>
			<div className="sm:col-span-6">
				<Field
					label="Name, username or address"
					name="q"
					type="search"
					defaultValue={filters.q}
					hint="#512 finds the account with this number in the log."
				/>
			</div>
			<div className="sm:col-span-2">
				<Select label="Role" name="role" defaultValue={filters.role}>
					<option value="">Any</option>
					<option value="member">Member</option>
					<option value="moderator">Moderator</option>
					<option value="admin">Admin</option>
				</Select>
			</div>
			<div className="sm:col-span-2">
				<Select label="State" name="state" defaultValue={filters.state}>
					<option value="">Any</option>
					{Object.entries(memberStates).map(([value, label]) => (
						<option key={value} value={value}>
							{label}
						</option>
					))}
				</Select>
			</div>
			<div className="sm:col-span-2">
				<Field label="Year" name="year" inputMode="numeric" maxLength={4} defaultValue={filters.year} />
			</div>
			<MoreFilters filters={filters} />
			{filters.invite && <input type="hidden" name="invite" value={filters.invite} />}
			{filters.list && <input type="hidden" name="list" value={filters.list} />}
		</FilterForm>
	)
}

/** The filters that are seldom needed; open while one of them is set. */
function MoreFilters({ filters }: { filters: MemberFilters }) {
	const { domain, cohort, branch, idle, from, to } = filters
	const set = [domain, cohort, branch, idle, from, to].join('')
	return (
		<details className="sm:col-span-6" open={set !== ''}>
			<summary className="quiet-link w-fit cursor-pointer py-1 text-sm text-ink-2">More filters</summary>
			<div className="mt-3 grid gap-4 sm:grid-cols-2">
				<Field
					label="Mail domain"
					name="domain"
					autoCapitalize="none"
					defaultValue={domain}
					placeholder="campus.example"
				/>
				<Field label="Cohort" name="cohort" defaultValue={cohort} placeholder="CSE 2027" />
				<Field label="Branch" name="branch" defaultValue={branch} placeholder="Computer Science" />
				<Field label="No login since" name="idle" type="date" defaultValue={idle} />
				<Field label="Registered from" name="from" type="date" defaultValue={from} />
				<Field label="Registered until" name="to" type="date" defaultValue={to} />
			</div>
		</details>
	)
}

/** Actions on the ticked members; the next page lists them and asks for a reason. */
function ManyForm() {
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby="many">
			<SectionHeading id="many" title="Many at once" />
			<div className="mt-3 grid gap-4">
				<Checkbox
					name="all"
					value="1"
					hint={`At most ${MAX_BULK_MEMBERS} at once, and ${MAX_HIDE_MEMBERS} to hide what they published.`}
				>
					All members that match the filter, not only those ticked
				</Checkbox>
				<Select label="What to do" name="act" hint="The next page lists the members before anything is done.">
					{Object.entries(bulkActs).map(([value, label]) => (
						<option key={value} value={value}>
							{label}
						</option>
					))}
					<option value={HIDE_EVERYTHING}>Hide everything they published</option>
				</Select>
				<div className="flex flex-wrap gap-2">
					<button className="btn btn-primary" type="submit">
						Continue
					</button>
					<button
						className="btn btn-outline"
						type="submit"
						name="choose"
						value="1"
						formMethod="post"
						formAction={membersCsvPath}
					>
						Download as CSV
					</button>
				</div>
			</div>
		</section>
	)
}

function Line({ member }: { member: MemberSummary }) {
	const notes = [
		member.role !== 'member' && member.role,
		member.suspendedUntil !== null && 'suspended',
		member.leavesAt !== null && 'being deleted',
		member.leftCampusAt !== null && 'left the university',
		member.isHidden && 'profile hidden',
		!member.isConfirmed && 'address not confirmed',
		member.isMailReturned && 'mail comes back',
		member.loggedInAt === null && 'never logged in',
		member.campus,
		member.year,
		member.branch,
		member.cohort,
	].filter(Boolean)
	return (
		<li className="flex items-center gap-3 border-b border-line py-2.5">
			<label className="-mx-2.5 inline-flex size-11 shrink-0 items-center justify-center">
				<span className="sr-only">Choose {member.name}</span>
				<input className="check-box" type="checkbox" name="m" value={member.id} />
			</label>
			<Avatar user={member} size={32} />
			<div className="min-w-0 flex-1">
				<Link className="quiet-link font-semibold wrap-anywhere" to={memberAdminPath(member.username)}>
					{member.name}
				</Link>
				<p className="meta wrap-anywhere">
					@{member.username}, {member.email}
					{notes.length > 0 && `, ${notes.join(', ')}`}
				</p>
			</div>
			<p className="meta max-sm:hidden">
				<LocalTime at={member.registeredAt} />
			</p>
		</li>
	)
}
