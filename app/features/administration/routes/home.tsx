import { pageMeta } from '~/lib/page-meta.ts'
import { chooseIntent, readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Form, Link } from '~/ui/link.tsx'
import { requirePageAdmin } from '../admins.server.ts'
import { AdminFrame } from '../components/admin-frame.tsx'
import { SetupList } from '../components/setup-list.tsx'
import { getSetup, hideSetup, keepSetupDefault, sendTestMail } from '../setup/setup.server.ts'
import { ADMIN_PATH } from '../setup/setup.view.ts'
import type { Route } from './+types/home'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => ({ setup: await getSetup(await requirePageAdmin({ request, context, url })) }))
}

/** Handles the checklist: `intent` is test-mail, keep or reopen for a `step`; hide and show for the whole list. */
export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	const done = (message: string) => redirectWithSuccess(ADMIN_PATH, message)
	try {
		const keep = async (isKept: boolean) => {
			await keepSetupDefault(viewer, form.get('step'), isKept)
			return done(isKept ? 'Kept as it is.' : 'Open again.')
		}
		const hide = async (isHidden: boolean) => {
			await hideSetup(viewer, isHidden)
			return done(isHidden ? 'Hidden.' : 'Shown again.')
		}
		return await chooseIntent(form.get('intent'), {
			'test-mail': async () => done(`Sent to ${await sendTestMail(viewer)}.`),
			keep: () => keep(true),
			reopen: () => keep(false),
			hide: () => hide(true),
			show: () => hide(false),
		})
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Administration', noindex: true })
}

const places: { to: string; title: string; about: string }[] = [
	{
		to: '/admin/categories',
		title: 'Categories',
		about: 'Add, rename, order, merge and archive them; who may ask there.',
	},
	{
		to: '/admin/members',
		title: 'Members',
		about: 'Search members, change roles, end sessions, suspend members, hide profiles.',
	},
	{ to: '/admin/invitations', title: 'Invitations', about: 'Links and address lists with which people can register.' },
	{
		to: '/admin/leavers',
		title: 'People who have left',
		about: 'Who has left the university, by its directory or by a list; what happens to their accounts.',
	},
	{ to: '/admin/figures', title: 'Figures', about: 'Members, queries and answers by week; jobs that failed.' },
	{
		to: '/admin/backups',
		title: 'Backups',
		about: 'The latest backups, whether each was tested, and the continuous archive.',
	},
	{ to: '/admin/legal', title: 'Terms and privacy', about: 'Terms, privacy and imprint, with every version.' },
	{ to: '/admin/webhooks', title: 'Webhooks', about: 'Other servers that are told what happens on this site.' },
	{ to: '/admin/settings', title: 'Settings', about: 'How this site works, with a history of all changes.' },
	{ to: '/moderation', title: 'Moderation', about: 'Reports, and posts waiting for a moderator.' },
	{
		to: '/moderation/members',
		title: 'Moderators and suspended members',
		about: 'Moderators, and members who may not write.',
	},
	{
		to: '/moderation/terms',
		title: 'Terms for skills and tags',
		about: 'Skills, technologies and tags, and their other spellings.',
	},
	{ to: '/moderation/searches', title: 'Searches without results', about: 'Searches that found nothing.' },
	{ to: '/moderation/log', title: 'Log', about: 'Every action of moderators and admins, with who, when and why.' },
]

export default function Administration({ loaderData: { setup }, actionData }: Route.ComponentProps) {
	return (
		<AdminFrame title="Administration">
			<SetupList setup={setup} refusal={actionData ?? null} />
			<ul className="mt-2">
				{places.map(({ to, title, about }) => (
					<li key={to} className="border-b border-line py-3">
						<Link className="quiet-link font-semibold" to={to}>
							{title}
						</Link>
						<p className="text-ink-2">{about}</p>
					</li>
				))}
			</ul>
			{setup.isHidden && (
				<Form method="post" action={ADMIN_PATH} className="mt-6">
					<button className="btn btn-sm btn-outline" type="submit" name="intent" value="show">
						Show the checklist again
					</button>
				</Form>
			)}
		</AdminFrame>
	)
}
