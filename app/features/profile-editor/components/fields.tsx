import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react'
import { formatNumber } from '~/lib/text.ts'
import { TextArea } from '~/ui/field.tsx'

interface FieldGroupProps {
	title: string
	/** At the right end of the rule. */
	note?: string
	/** In a column on the right, or below the fields on narrow screens. */
	aside?: ReactNode
	children: ReactNode
}

/** A group of fields under a heading, in two columns if there is room. */
export function FieldGroup({ title, note, aside, children }: FieldGroupProps) {
	return (
		<fieldset className="min-w-0">
			<legend className="rule-head w-full">
				<span>{title}</span>
				{note && <span>{note}</span>}
			</legend>
			<div className={aside ? 'mt-2 grid grid-cols-1 gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,1fr)_15rem]' : 'mt-2'}>
				<div className="grid grid-cols-1 gap-x-4 gap-y-5 content-start sm:grid-cols-2">{children}</div>
				{aside}
			</div>
		</fieldset>
	)
}

interface CountedTextProps extends Omit<ComponentProps<typeof TextArea>, 'defaultValue' | 'maxLength'> {
	defaultValue: string
	/** In characters. */
	maxLength: number
}

/** A text area with a character counter. */
export function CountedTextArea({ defaultValue, maxLength, ...area }: CountedTextProps) {
	const [length, setLength] = useState(defaultValue.length)
	const field = useRef<HTMLTextAreaElement>(null)
	// Input from before scripts ran fired no event.
	useEffect(() => setLength(field.current?.value.length ?? 0), [])
	return (
		<TextArea
			{...area}
			ref={field}
			defaultValue={defaultValue}
			maxLength={maxLength}
			onChange={(event) => setLength(event.target.value.length)}
			aside={
				<span className="hint">
					{formatNumber(length)} of {formatNumber(maxLength)}
				</span>
			}
		/>
	)
}
