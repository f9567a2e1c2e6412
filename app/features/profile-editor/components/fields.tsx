import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react'
import { grouped } from '~/lib/text.ts'
import { TextArea } from '~/ui/field.tsx'

interface FieldGroupProps {
	title: string
	/** Stands at the right end of the rule. */
	note?: string
	/** Stands in a column of its own at the right, below the fields where there is no room for one. */
	aside?: ReactNode
	children: ReactNode
}

/** Fields that belong together, under a rule with their name: two columns where there is room. */
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
	/** How many characters it takes. */
	maxLength: number
}

/** A text of several lines that says how much of its room is used. */
export function CountedText({ defaultValue, maxLength, ...area }: CountedTextProps) {
	const [length, setLength] = useState(defaultValue.length)
	const field = useRef<HTMLTextAreaElement>(null)
	// What was typed before the scripts ran raised no event.
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
					{grouped(length)} of {grouped(maxLength)}
				</span>
			}
		/>
	)
}
