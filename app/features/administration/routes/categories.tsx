import { ArrowDown, ArrowUp } from 'lucide'
import { pageMeta } from '~/lib/page-meta.ts'
import { pluralize } from '~/lib/text.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { FormError } from '~/ui/form-error.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { requirePageAdmin } from '../admins.server.ts'
import { listCategoryDetails, moveCategory } from '../categories/categories.server.ts'
import {
	type CategoryDetail,
	categoriesPath,
	categoryAdminPath,
	newCategoryPath,
} from '../categories/categories.view.ts'
import { AdminFrame } from '../components/admin-frame.tsx'
import type { Route } from './+types/categories'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => ({
		categories: await listCategoryDetails(await requirePageAdmin({ request, context, url })),
	}))
}

/** Moves a category (`id`) one place up or down (`intent`). */
export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		const move = (to: 'up' | 'down') => moveCategory(viewer, Number(form.get('id')), to)
		await chooseIntent(form.get('intent'), { up: () => move('up'), down: () => move('down') })
	} catch (error) {
		return refuseForm(error, form)
	}
	return redirectWithSuccess(categoriesPath, 'Moved.')
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Categories', noindex: true })
}

export default function Categories({ loaderData: { categories }, actionData }: Route.ComponentProps) {
	const open = categories.filter(({ askers }) => askers !== 'nobody')
	const archived = categories.filter(({ askers }) => askers === 'nobody')
	return (
		<AdminFrame title="Categories">
			<div className="mt-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
				<p className="text-ink-2">The forum’s menu and the question form list them in this order.</p>
				<Link className="btn btn-outline" to={newCategoryPath}>
					Add a category
				</Link>
			</div>
			<FormError>{actionData?.message}</FormError>
			<ol className="mt-3">
				{open.map((category, index) => (
					<Line key={category.id} category={category}>
						<Move category={category} intent="up" isPossible={index > 0} />
						<Move category={category} intent="down" isPossible={index < open.length - 1} />
					</Line>
				))}
			</ol>
			{archived.length > 0 && (
				<section className="mt-8" aria-labelledby="archived">
					<SectionHeading id="archived" title="Archived" />
					<ul>
						{archived.map((category) => (
							<Line key={category.id} category={category} />
						))}
					</ul>
				</section>
			)}
		</AdminFrame>
	)
}

const askersNoted = { everybody: '', verified: ', verified students ask', staff: ', moderators ask', nobody: '' }

function Line({ category, children }: { category: CategoryDetail; children?: React.ReactNode }) {
	const { id, title, slug, questions, followers, askers } = category
	return (
		<li className="flex items-center gap-2 border-b border-line py-2.5">
			<div className="min-w-0 flex-1">
				<Link className="quiet-link font-semibold wrap-anywhere" to={categoryAdminPath(id)}>
					{title}
				</Link>
				<p className="meta wrap-anywhere">
					{slug}: {pluralize(questions, 'query', 'queries')}, {pluralize(followers, 'follower', 'followers')}
					{askersNoted[askers]}
				</p>
			</div>
			{children}
		</li>
	)
}

function Move({
	category: { id, title },
	intent,
	isPossible,
}: {
	category: CategoryDetail
	intent: 'up' | 'down'
	isPossible: boolean
}) {
	return (
		<Form method="post" action={categoriesPath} preventScrollReset>
			<input type="hidden" name="id" value={id} />
			<button
				className="btn btn-sm btn-ghost"
				type="submit"
				name="intent"
				value={intent}
				// Not `disabled`, as that would take the focus away from a category that has reached the end.
				aria-disabled={!isPossible || undefined}
				onClick={(event) => isPossible || event.preventDefault()}
				aria-label={`Move ${title} ${intent}`}
			>
				<Icon of={intent === 'up' ? ArrowUp : ArrowDown} />
			</button>
		</Form>
	)
}
