import { useRef } from 'react'
import { redirect } from 'react-router'
import { categoryPath } from '~/features/tags/tags.view.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { pluralize } from '~/lib/text.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Select } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { useFieldFocus } from '~/ui/use-focus-kept.ts'
import { requirePageAdmin } from '../admins.server.ts'
import {
	archiveCategory,
	getCategoryDetail,
	listCategoryDetails,
	mergeCategory,
	previewCategoryMerge,
	saveCategory,
} from '../categories/categories.server.ts'
import {
	type CategoryDetail,
	type CategoryMergePreview,
	categoriesPath,
	categoryAdminPath,
} from '../categories/categories.view.ts'
import { AdminFrame } from '../components/admin-frame.tsx'
import { CategoryForm } from '../components/category-form.tsx'
import type { Route } from './+types/category'

/** A merged category redirects to its target. */
export function loader({ request, params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageAdmin({ request, context, url })
		const { category, mergedInto } = await getCategoryDetail(viewer, Number(params.id))
		if (mergedInto !== null) throw redirect(categoryAdminPath(mergedInto))
		const others = (await listCategoryDetails(viewer)).filter(
			({ id, askers }) => id !== category.id && askers !== 'nobody',
		)
		return { category, others: others.map(({ slug, title }) => ({ slug, title })) }
	})
}

/** Saves the form (`intent` save), archives, reopens, or merges, after a preview. */
export async function action({ request, params, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	const id = Number(params.id)
	const input = Object.fromEntries(form)
	const here = categoryAdminPath(id)
	try {
		const archive = async (isArchived: boolean) => {
			await archiveCategory(viewer, id, isArchived)
			return redirectWithSuccess(here, isArchived ? 'Archived.' : 'Open again.')
		}
		return await chooseIntent(form.get('intent'), {
			save: async () => {
				await saveCategory(viewer, id, input)
				return redirectWithSuccess(here, 'Saved.')
			},
			archive: () => archive(true),
			reopen: () => archive(false),
			merge: async () => {
				if (form.get('confirmed') !== '1') return { preview: await previewCategoryMerge(viewer, id, input) }
				const into = await mergeCategory(viewer, id, input)
				const message = `Merged into “${into.title}”.`
				return redirectWithSuccess(categoryAdminPath(into.id), message)
			},
		})
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ loaderData, matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: loaderData ? `${loaderData.category.title}: category` : 'Category', noindex: true })
}

export default function CategoryPage({ loaderData: { category, others }, actionData }: Route.ComponentProps) {
	const refusal = actionData && 'errors' in actionData ? actionData : null
	const preview = actionData && 'preview' in actionData ? actionData.preview : null
	const of = (intent: string) => (refusal?.values.intent === intent ? refusal : null)
	const form = useRef<HTMLFormElement>(null)
	useFieldFocus(form, `${category.version}`)
	return (
		<AdminFrame title={category.title}>
			<p className="mt-4 flex gap-4">
				<Link className="link" to={categoriesPath}>
					All categories
				</Link>
				<Link className="link" to={categoryPath(category.slug)}>
					In the forum
				</Link>
			</p>
			{preview && <Preview category={category} preview={preview} />}
			<Facts category={category} />
			<CategoryForm
				key={category.version}
				form={form}
				action={categoryAdminPath(category.id)}
				category={category}
				refusal={of('save')}
			/>
			{!category.isFallback && (
				<>
					<Archive category={category} refusal={of('archive') ?? of('reopen')} />
					<Merge category={category} others={others} refusal={of('merge')} />
				</>
			)}
		</AdminFrame>
	)
}

function Facts({ category: { questions, followers, askers, formerSlugs } }: { category: CategoryDetail }) {
	return (
		<p className="mt-3 text-ink-2 wrap-anywhere">
			{askers === 'nobody' && 'Archived. '}
			{pluralize(questions, 'query', 'queries')}, {pluralize(followers, 'follower', 'followers')}.
			{formerSlugs.length > 0 && ` ${formerSlugs.join(', ')} ${formerSlugs.length > 1 ? 'lead' : 'leads'} here.`}
		</p>
	)
}

interface ActProps {
	category: CategoryDetail
	refusal: FormRefusal | null
}

function Archive({ category: { id, askers }, refusal }: ActProps) {
	const isArchived = askers === 'nobody'
	return (
		<section className="mt-10 max-w-[36rem]" aria-labelledby="archive">
			<SectionHeading id="archive" title={isArchived ? 'Reopen' : 'Archive'} />
			<FormError>{refusal?.message}</FormError>
			<Form method="post" action={categoryAdminPath(id)} className="mt-2 grid gap-3" replace>
				<p className="text-ink-2">
					{isArchived
						? 'Members can ask here again.'
						: 'Its queries can still be read, answered and found. Nobody can ask here any more.'}
				</p>
				<p>
					<button className="btn btn-outline" type="submit" name="intent" value={isArchived ? 'reopen' : 'archive'}>
						{isArchived ? 'Reopen' : 'Archive'}
					</button>
				</p>
			</Form>
		</section>
	)
}

function Merge({ category: { id }, others, refusal }: ActProps & { others: { slug: string; title: string }[] }) {
	return (
		<section className="mt-10 max-w-[36rem]" aria-labelledby="merge">
			<SectionHeading id="merge" title="Merge" />
			<Form method="post" action={categoryAdminPath(id)} className="mt-2 grid gap-4" replace>
				<FormError errors={refusal?.errors} names={{ into: 'Other category' }}>
					{refusal?.message}
				</FormError>
				<Select
					name="into"
					label="Other category"
					defaultValue={refusal?.values.into}
					error={refusal?.errors.into}
					hint="The category to keep. Queries and followers move there, and this address will always redirect there."
				>
					{others.map(({ slug, title }) => (
						<option key={slug} value={slug}>
							{title}
						</option>
					))}
				</Select>
				<p>
					<SubmitButton className="btn btn-outline" action={categoryAdminPath(id)} name="intent" value="merge">
						Merge
					</SubmitButton>
				</p>
			</Form>
		</section>
	)
}

function Preview({ category, preview }: { category: CategoryDetail; preview: CategoryMergePreview }) {
	const here = categoryAdminPath(category.id)
	return (
		<section className="mt-6 max-w-[36rem] border border-line-2 bg-sunken p-4" aria-labelledby="preview">
			<h2 className="font-semibold" id="preview">
				Merge “{category.title}” into “{preview.into.title}”?
			</h2>
			<p className="mt-1 text-ink-2">
				This moves {pluralize(preview.questions, 'query', 'queries')} and{' '}
				{pluralize(preview.followers, 'follower', 'followers')}. It cannot be undone.
			</p>
			<Form method="post" action={here} className="mt-3 flex flex-wrap gap-2" replace>
				<input type="hidden" name="into" value={preview.into.slug} />
				<input type="hidden" name="confirmed" value="1" />
				<SubmitButton busyLabel="Saving..." action={here} name="intent" value="merge">
					Confirm
				</SubmitButton>
				<Link className="btn btn-ghost" to={here}>
					Cancel
				</Link>
			</Form>
		</section>
	)
}
