import { pageMeta } from '~/lib/page-meta.ts'
import { formatNumber, pluralize } from '~/lib/text.ts'
import { readForm, readText, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Select } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { WeekChart } from '~/ui/week-chart.tsx'
import { requirePageAdmin } from '../admins.server.ts'
import { AdminFrame } from '../components/admin-frame.tsx'
import { readFigures, retryJobs } from '../figures/figures.server.ts'
import {
	duration,
	type FailedJobs,
	figuresCsvPath,
	figuresPath,
	percent,
	type WeekFigures,
} from '../figures/figures.view.ts'
import type { Route } from './+types/figures'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageAdmin({ request, context, url })
		return readFigures(viewer, url.searchParams.get('category') ?? '')
	})
}

/** Retries failed jobs of a kind (`task`). */
export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		const count = await retryJobs(viewer, readText(form, 'task'))
		return redirectWithSuccess(figuresPath, `${pluralize(count, 'job')} tried again now.`)
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Figures', noindex: true })
}

export default function Figures({ loaderData, actionData }: Route.ComponentProps) {
	const { weeks, categories, category, failed } = loaderData
	const by = (value: (week: WeekFigures) => number | null) =>
		weeks.map((each) => ({ week: each.week, value: value(each) }))
	return (
		<AdminFrame title="Figures">
			<p className="mt-4 max-w-[40rem] text-ink-2">
				The last {weeks.length} weeks, counted every night. No figure describes a single person.{' '}
				<a className="link" href={figuresCsvPath} download>
					Download two years as CSV
				</a>
			</p>
			<WeekChart
				id="joined"
				title="New members"
				note="Accounts created in the week."
				values={by(({ joined }) => joined)}
				say={formatNumber}
			/>
			<WeekChart
				id="active"
				title="Active members"
				note="Members who were logged in or wrote in the week. For weeks before logins were counted: members who wrote."
				values={by(({ active }) => active)}
				say={formatNumber}
			/>
			<Form className="mt-10 flex flex-wrap items-end gap-3" action={figuresPath}>
				<Select key={category} label="Queries of" name="category" defaultValue={category}>
					<option value="">All categories</option>
					{categories.map(({ slug, title }) => (
						<option key={slug} value={slug}>
							{title}
						</option>
					))}
				</Select>
				<button className="btn btn-outline" type="submit">
					Show
				</button>
			</Form>
			<WeekChart
				id="questions"
				title="Queries"
				note="Queries asked in the week."
				values={by(({ questions }) => questions)}
				say={formatNumber}
			/>
			<WeekChart
				id="answered"
				title="Answered within 7 days"
				note="Queries of the week that somebody else commented on within 7 days. The last week is not over yet."
				values={by(({ answered, questions }) => percent(answered, questions))}
				say={(value) => `${value} %`}
			/>
			<WeekChart
				id="median"
				title="Time to the first answer"
				note="The median of answered queries."
				values={by(({ medianMinutes }) => medianMinutes)}
				say={duration}
			/>
			<p className="mt-8">
				<Link className="link" to="/admin/figures/usage">
					What is read, and how much is stored
				</Link>
			</p>
			<p className="mt-2">
				<Link className="link" to="/moderation/searches">
					Searches without results
				</Link>
			</p>
			<Failed failed={failed} message={actionData?.message} />
		</AdminFrame>
	)
}

function Failed({ failed, message }: { failed: FailedJobs[]; message: string | undefined }) {
	return (
		<section className="mt-10" aria-labelledby="failed">
			<SectionHeading id="failed" title="Failed jobs" />
			<FormError>{message}</FormError>
			{failed.length === 0 && <p className="py-3 text-ink-2">No mail, push or other job has failed.</p>}
			<ul>
				{failed.map(({ task, waiting, givenUp, error }) => (
					<li key={task} className="flex items-center gap-3 border-b border-line py-2.5">
						<div className="min-w-0 flex-1">
							<p className="font-semibold wrap-anywhere">{task}</p>
							<p className="meta wrap-anywhere">
								{waiting} will be tried again, {givenUp} given up: {error}
							</p>
						</div>
						<Form method="post" action={figuresPath}>
							<button
								className="btn btn-sm btn-outline"
								name="task"
								value={task}
								type="submit"
								aria-label={`Try again: ${task}`}
							>
								Try again
							</button>
						</Form>
					</li>
				))}
			</ul>
		</section>
	)
}
