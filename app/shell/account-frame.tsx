import type { ReactNode } from 'react'
import { useRootData } from '~/lib/root-data.ts'
import { SectionHeading } from '~/ui/section-heading.tsx'

interface AccountFrameProps {
	title: string
	/** One line below the title. */
	lead: ReactNode
	/** A link above the title. */
	back?: ReactNode
	children?: ReactNode
}

/** The layout of account pages: a form on the left; for visitors, from 1024 px, the benefits of an account on the right. */
export function AccountFrame({ title, lead, back, children }: AccountFrameProps) {
	const { viewer, isViewerUnknown } = useRootData()
	// At least as high as the window without the header and the footer.
	return (
		<div className="-mb-16 grid grid-cols-1 lg:min-h-[calc(100dvh-7.3125rem)] lg:grid-cols-2">
			<div className="w-full max-w-sm py-10 max-lg:mx-auto lg:py-12">
				{back}
				<h1 className="text-3xl font-bold">{title}</h1>
				<p className="mt-1 text-ink-2">{lead}</p>
				{children}
			</div>
			{!viewer && !isViewerUnknown && (
				<aside className="hidden border-l border-line py-12 pl-12 lg:block" aria-labelledby="why">
					<SectionHeading id="why" title="What you can do with an account" />
					<ul>
						{reasons.map(([heading, text]) => (
							<li key={heading} className="border-b border-line py-3.5">
								<p className="text-lg font-semibold">{heading}</p>
								<p className="mt-1 max-w-[52ch] text-ink-2">{text}</p>
							</li>
						))}
					</ul>
				</aside>
			)}
		</div>
	)
}

const reasons = [
	['Ask and get answers', 'Ask the whole campus. Members answer your question.'],
	['Share what you know', 'Comment on a query or reply in a thread. You can use Markdown and code.'],
	['Be found', 'Your profile shows what you know and what you are building, so that others can find you.'],
	['Find others', 'See full profiles: skills, projects, and who wants to mentor or collaborate.'],
] as const
