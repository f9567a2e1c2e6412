import { X } from 'lucide'
import { useEffect, useRef, useState } from 'react'
import { PrefetchPageLinks, useFetcher } from 'react-router'
import { SimilarQuestions } from '~/features/search/components/similar-questions.tsx'
import type { CategoryView } from '~/features/tags/tags.view.ts'
import { loginPath } from '~/lib/addresses.ts'
import { newKey } from '~/lib/new-key.ts'
import { useRootData } from '~/lib/root-data.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { Icon } from '~/ui/icon.tsx'
import { AskForm } from './ask-form.tsx'

interface AskModalProps {
	/** Slug of the default category. */
	category: string
	categories: CategoryView[]
	onClose: () => void
}

const address = '/forum/ask'

/** The ask form in a dialog over the present page; full screen on a phone. Closing it keeps the draft. */
export default function AskModal({ category, categories, onClose }: AskModalProps) {
	const { viewer } = useRootData()
	const dialog = useRef<HTMLDialogElement>(null)
	const fetcher = useFetcher<FormRefusal>()
	const [sendKey] = useState(newKey)
	useEffect(() => {
		dialog.current?.showModal()
		dialog.current?.querySelector<HTMLElement>('[name="title"]')?.focus()
	}, [])
	const close = () => dialog.current?.close()
	return (
		<dialog
			ref={dialog}
			className="dialog flex-col overflow-clip p-0 open:flex max-sm:m-0 max-sm:h-dvh max-sm:max-h-none max-sm:w-screen max-sm:max-w-none max-sm:rounded-none max-sm:border-0 sm:h-[46rem] sm:w-[calc(100vw-4rem)] sm:max-w-[66rem]"
			aria-labelledby="ask-title"
			onClose={onClose}
			// A press that starts in a field and ends on the backdrop is a text selection and must not close the dialog.
			onPointerDown={(event) => {
				if (event.target === dialog.current) close()
			}}
		>
			<PrefetchPageLinks page={address} />
			<header className="flex h-14 flex-none items-center justify-between border-b border-line pr-2.5 pl-5">
				<h2 id="ask-title" className="text-lg font-semibold">
					Ask a Question
				</h2>
				<button type="button" className="icon-btn" aria-label="Close" onClick={close}>
					<Icon of={X} />
				</button>
			</header>
			<AskForm
				action={address}
				start={{ title: '', description: '', tags: '', category }}
				madeFrom={0}
				draftKey="ask"
				sendKey={viewer ? sendKey : ''}
				draft={undefined}
				named={false}
				categories={categories}
				refusal={fetcher.data ?? null}
				submit="Post question"
				cancel={close}
				login={viewer ? null : loginPath(address)}
				fetcher={fetcher}
				similar={SimilarQuestions}
			/>
		</dialog>
	)
}
