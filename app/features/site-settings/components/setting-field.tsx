import { Checkbox, Field, Select, TextArea } from '~/ui/field.tsx'
import { PasswordField } from '~/ui/password-field.tsx'
import { removalOf, type SettingView, textInWords } from '../site-settings.view.ts'
import { ColourField, SitePictureField } from './look-fields.tsx'

interface SettingFieldProps {
	setting: SettingView
	/** The value of a rejected form, which counts more than what the address says; undefined without one. */
	typed: string | undefined
	error: string | undefined
}

/** The field of a setting, or the value that the environment sets. */
export function SettingField({ setting, ...rejected }: SettingFieldProps) {
	const { name, field, label, hint, input, choices = [], environment, refused } = setting
	if (environment !== null) return <FromOutside setting={setting} environment={environment} />
	const text = rejected.typed ?? refused?.text ?? setting.text
	const error = rejected.error ?? (rejected.typed === undefined ? refused?.error : undefined)
	const common = { name: field, label, hint, error, defaultValue: text }
	if (input === 'box')
		return (
			<Checkbox name={field} hint={hint ?? ''} defaultChecked={text === 'on'}>
				{label}
			</Checkbox>
		)
	if (input === 'text') return <TextArea {...common} rows={6} />
	if (input === 'choice')
		return (
			<Select {...common}>
				{choices.map((choice) => (
					<option key={choice.value} value={choice.value}>
						{choice.label}
					</option>
				))}
			</Select>
		)
	if (input === 'date') return <Field {...common} type="date" />
	if (input === 'number') return <Field {...common} inputMode="numeric" autoComplete="off" />
	if (input === 'colour') return <ColourField setting={setting} text={text} error={error} />
	if (input === 'picture') return <SitePictureField setting={setting} text={text} error={error} />
	if (input === 'line' && setting.suggestions.length > 0)
		return (
			<div>
				<Field {...common} autoComplete="off" spellCheck={false} list={`${field}-list`} />
				<datalist id={`${field}-list`}>
					{setting.suggestions.map((offered) => (
						<option key={offered} value={offered} />
					))}
				</datalist>
			</div>
		)
	if (input === 'line') return <Field {...common} autoComplete="off" spellCheck={false} />
	return (
		<div className="grid gap-2">
			<PasswordField
				name={field}
				label={label}
				error={error}
				autoComplete="new-password"
				hint={[hint, setting.isSet && 'A secret is saved, but never shown again. Leave this empty to keep it.']
					.filter(Boolean)
					.join(' ')}
			/>
			{setting.isSet && <Checkbox name={removalOf(name)}>Remove the saved one</Checkbox>}
		</div>
	)
}

function FromOutside({ setting, environment }: { setting: SettingView; environment: string }) {
	return (
		<div>
			<p className="label">{setting.label}</p>
			<p className="wrap-anywhere">{setting.input === 'secret' ? 'A secret' : textInWords(setting, setting.text)}</p>
			<p className="hint">
				Set on the server by the environment variable <code className="font-mono">{environment}</code>, which wins over
				anything that is saved here.
			</p>
		</div>
	)
}
