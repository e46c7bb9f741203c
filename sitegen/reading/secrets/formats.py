"""Formats of secrets that gitleaks lacks or matches too strictly, mostly of model providers.

A key that was shortened, or made by another version of a service, is still a key, so the
length after a prefix is a lower bound here. The rules of gitleaks check exact lengths.
"""

from collections.abc import Sequence

from sitegen.reading.secrets.rule import (
    Check,
    RuleGroup,
    SecretRule,
    always,
    is_address_password,
    is_named_secret,
    is_no_name,
    is_random_value,
)

# One table in which each line can be read on its own.
_PREFIXES: Sequence[tuple[str, str]] = (
    ("a GitHub token", r"gh[opusr]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255}"),
    ("a GitLab token", r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct|oas|wt)-[\w.-]{20,300}"),
    ("a Hugging Face token", r"(?:hf|hf_oauth|api_org)_[A-Za-z0-9]{20,255}"),
    ("an AWS key", r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b|ABSK[A-Za-z0-9+/]{40,300}"),
    ("a Google key", r"AIza[\w-]{35}|AQ\.Ab[\w-]{30,200}|GOCSPX-[\w-]{20,60}"),
    ("a Google token", r"ya29\.[\w.-]{20,2000}|1//0[\w-]{30,200}"),
    ("a Slack token", r"(?:xox[a-z]|xapp)[.-][\w.-]{10,300}"),
    (
        "a payment key",
        r"(?:sk|pk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,255}|whsec_[A-Za-z0-9+/]{24,}",
    ),
    ("a Square token", r"sq0(?:atp|csp|idp)-[\w-]{20,60}|EAAA[\w-]{40,80}"),
    ("a Shopify token", r"shp(?:at|ca|pa|ss|tka)_[A-Za-z0-9]{24,64}"),
    ("a Groq key", r"gsk_[A-Za-z0-9]{20,100}"),
    ("an xAI key", r"xai-[A-Za-z0-9]{20,120}"),
    ("a Perplexity key", r"pplx-[A-Za-z0-9]{20,80}"),
    ("a Replicate token", r"r8_[A-Za-z0-9]{20,60}"),
    ("a Together key", r"tgp_v1_[\w-]{20,80}"),
    ("a Fireworks key", r"f[wp]k?_[A-Za-z0-9]{20,60}"),
    ("a Cerebras key", r"csk-[A-Za-z0-9]{20,80}"),
    ("an NVIDIA key", r"nvapi-[\w-]{20,120}"),
    ("a LangSmith key", r"ls(?:v2_(?:pt|sk)|__)_[A-Za-z0-9_]{20,80}"),
    ("a Tavily key", r"tvly-[\w-]{20,80}"),
    ("a Firecrawl key", r"(?<!-)fc-[a-f0-9]{32}\b"),
    ("an E2B key", r"e2b_[A-Za-z0-9]{20,80}"),
    ("a Daytona key", r"dtn_[A-Za-z0-9]{20,100}"),
    ("a Modal token", r"(?<!-)a[ks]-[A-Za-z0-9]{22}\b"),
    ("a Pinecone key", r"pcsk_[A-Za-z0-9_]{20,100}"),
    ("a Voyage key", r"(?<!-)pa-(?=[\w-]{0,60}\d)[A-Za-z0-9_-]{40,60}"),
    ("a Jina key", r"jina_[a-f0-9]{24}[\w-]{0,80}"),
    ("an ElevenLabs key", r"sk_[a-f0-9]{32,64}\b"),
    ("a Weights & Biases key", r"wandb_v\d_[\w-]{20,120}"),
    ("a Databricks token", r"dapi[a-f0-9]{32}(?:-\d)?\b"),
    ("a DigitalOcean token", r"do[opr]_v1_[a-f0-9]{32,64}"),
    ("a Cloudflare token", r"cf(?:ut|at|k)_[A-Za-z0-9]{30,80}"),
    ("a Heroku key", r"HRKU-[\w-]{30,80}"),
    ("a Vercel token", r"vc[apirk]_[A-Za-z0-9]{24,80}"),
    ("a Netlify token", r"nfp_[A-Za-z0-9]{30,60}"),
    ("a Render key", r"rnd_[A-Za-z0-9]{24,60}"),
    ("a Fly token", r"fo1_[\w-]{30,60}|fm[12][ar]?_[A-Za-z0-9+/]{40,}={0,3}"),
    ("a Supabase key", r"sbp_[a-z0-9_]{32,80}|sb_secret_[\w-]{20,80}"),
    ("a Neon key", r"napi_[a-z0-9]{40,80}"),
    ("a PlanetScale key", r"pscale_(?:tkn|pw|oauth)_[\w=.-]{20,80}"),
    ("a MongoDB secret", r"mdb_sa_sk_[\w-]{30,80}"),
    ("a Docker token", r"dckr_[po]at_[\w-]{20,60}"),
    ("an npm token", r"npm_[A-Za-z0-9]{30,60}"),
    ("a PyPI token", r"pypi-AgE[\w-]{40,1000}"),
    ("a RubyGems key", r"rubygems_[a-f0-9]{32,64}"),
    ("a crates.io token", r"cio[A-Za-z0-9]{32}\b"),
    ("a NuGet key", r"oy2[a-z0-9]{43}\b"),
    ("a Terraform token", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,80}"),
    ("a Vault token", r"hv[sbr]\.[\w-]{20,300}"),
    ("a Pulumi token", r"pul-[a-f0-9]{32,60}"),
    ("a Doppler token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,80}"),
    ("an Atlassian token", r"AT(?:ATT|CTT|CATT|BB)[0-9A-Za-z][\w=.-]{20,300}"),
    ("a New Relic key", r"NR(?:AK|II|JS|IQ|RA)-[A-Za-z0-9_-]{19,60}"),
    ("a Grafana token", r"glsa_[A-Za-z0-9_]{30,60}|glc_[A-Za-z0-9+/]{32,400}={0,3}"),
    ("a Sentry token", r"sntry[su]_[\w+/=.-]{30,500}"),
    ("a PostHog key", r"phx_[A-Za-z0-9]{30,60}"),
    ("a SendGrid key", r"SG\.[\w-]{16,32}\.[\w-]{16,64}"),
    ("a Mailgun key", r"(?<!-)key-[a-f0-9]{32}\b"),
    ("a Mailchimp key", r"[a-f0-9]{32}-us\d{1,2}\b"),
    ("a Brevo key", r"x(?:keysib|smtpsib)-[a-f0-9]{32,80}(?:-[A-Za-z0-9]{16})?"),
    ("a Resend key", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,40}"),
    ("a Twilio key", r"SK[0-9a-fA-F]{32}\b"),
    ("a Linear key", r"lin_(?:api|oauth)_[A-Za-z0-9]{30,80}"),
    ("a Notion token", r"ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43}\b"),
    ("an Airtable token", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b"),
    ("a Figma token", r"fig[duo]r?_[\w-]{30,80}"),
    ("a Dropbox token", r"sl\.(?:u\.)?[\w-]{60,1500}"),
    ("a Postman key", r"PMA[KT]-[A-Za-z0-9-]{24,80}"),
    ("a CircleCI token", r"CCIP(?:AT|RJ)_[A-Za-z0-9]{16,30}_[a-f0-9]{32,64}"),
    ("a Buildkite token", r"bkua_[a-f0-9]{32,64}"),
    ("a Tailscale key", r"tskey-[a-z]{2,12}-[A-Za-z0-9-]{20,100}"),
    ("a Sourcegraph token", r"sgp_(?:[A-Za-z0-9]{5,16}_)?[a-f0-9]{40}\b"),
    ("an Alibaba key", r"LTAI[A-Za-z0-9]{12,30}"),
    ("a Tencent key", r"AKID[A-Za-z0-9]{32}"),
    ("a 1Password token", r"ops_eyJ[\w+/=-]{40,2000}"),
    ("an age key", r"AGE-SECRET-KEY-1[A-Z0-9]{40,80}"),
    ("an OpenShift token", r"sha256~[\w-]{40,50}"),
    ("an Artifactory token", r"AKCp[A-Za-z0-9]{60,80}|cmVmd[A-Za-z0-9]{50,70}"),
    ("a PayPal token", r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}"),
    ("a Facebook token", r"EAA[A-Za-z0-9]{80,300}"),
    ("a Twitter token", r"A{18,24}[B-Zb-z0-9%][A-Za-z0-9%]{40,200}"),
    ("a Telegram token", r"\d{8,10}:AA[\w-]{32,34}\b"),
    ("a Discord token", r"[MNO][A-Za-z0-9_-]{23,27}\.[\w-]{6}\.[\w-]{27,45}"),
    ("an Azure key", r"[A-Za-z0-9]{40,60}JQQJ99[A-Za-z0-9]{12,40}"),
    ("an Azure key", r"[A-Za-z0-9+/]{43}=(?=;EndpointSuffix|;EntityPath)"),
    ("a web token", r"eyJ[\w-]{8,500}+\.[\w-]{8,5000}+\.[\w-]{8,500}"),
)
"""Kind and pattern of keys that start with a distinctive prefix, after a `\\b`."""

_STARTS = (
    "gho_ ghp_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- "
    "glsoat- glffct- gloas- glwt- hf_ hf_oauth_ api_org_ AIza AQ.Ab GOCSPX- ya29. 1//0 whsec_ "
    "xoxa xoxb xoxc xoxd xoxe xoxo xoxp xoxr xoxs xapp- sq0atp- sq0csp- sq0idp- shpat_ shpca_ "
    "shppa_ shpss_ shptka_ gsk_ xai- pplx- r8_ tgp_v1_ fw_ fpk_ csk- nvapi- lsv2_pt_ lsv2_sk_ "
    "ls__ tvly- fc- e2b_ dtn_ pcsk_ jina_ wandb_v dapi doo_v1_ dop_v1_ dor_v1_ cfut_ cfat_ cfk_ "
    "HRKU- vca_ vcp_ vci_ vcr_ vck_ nfp_ rnd_ fo1_ fm1 fm2 sbp_ sb_secret_ napi_ pscale_tkn_ "
    "pscale_pw_ pscale_oauth_ mdb_sa_sk_ dckr_pat_ dckr_oat_ pypi- rubygems_ hvs. hvb. hvr. pul- "
    "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. ATATT ATCTT ATCATT ATBB NRAK- NRII- NRJS- "
    "NRIQ- NRRA- glsa_ glc_ sntrys_ sntryu_ phx_ xkeysib- xsmtpsib- lin_api_ lin_oauth_ ntn_ "
    "figd_ figu_ figo_ figdr_ figur_ figor_ PMAK- PMAT- CCIPAT_ CCIPRJ_ bkua_ tskey- sgp_ LTAI "
    "AKID ops_eyJ AGE-SECRET-KEY-1 sha256~ AKCp cmVmd"
)
"""Prefixes in `_PREFIXES` that are rare in other texts."""
_OTHER_HINTS = (
    r"A3T[A-Z0-9]{17}",
    *(f"{start}[0-9A-Za-z+/]{{16}}" for start in ("AKIA", "ASIA", "ABIA", "ACCA", "ABSK")),
    *(f"{start}_(?:live|test|prod)_[A-Za-z0-9]{{10}}" for start in ("sk", "pk", "rk")),
    r"sk_[a-f0-9]{16}",
    r"EAA[A-Za-z0-9]{40}",
    "ak-[A-Za-z0-9]{22}",
    "as-[A-Za-z0-9]{22}",
    r"pa-[A-Za-z0-9_-]{40}",
    r"npm_[A-Za-z0-9]{16}",
    r"cio[A-Za-z0-9]{32}",
    r"oy2[a-z0-9]{43}",
    r"\.atlasv1\.",
    r"SG\.[0-9A-Za-z_-]{16}",
    r"key-[a-f0-9]{32}",
    r"[a-f0-9]{16}-us[0-9]",
    r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{16}",
    r"SK[0-9a-fA-F]{16}",
    r"secret_[A-Za-z0-9]{43}",
    r"pat[0-9A-Za-z]{14}\.",
    r"sl\.[0-9A-Za-z._-]{60}",
    r"access_token\$",
    r"AAAAAAAAAAAAAAAAAAAA",
    r"[0-9]{8}:AA[A-Za-z0-9_-]{16}",
    r"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}",
    r"JQQJ99",
    "=;EndpointSuffix",
    "=;EntityPath",
    r"eyJ[A-Za-z0-9_-]{8}",
)
"""Hints for the remaining `_PREFIXES`."""

_ARMOUR = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_PUTTY = r"PuTTY-User-Key-File-\d:"
_NAME = (
    r"(?:(?i:api|access|secret|account|auth|encryption|signing|service|master|storage|admin"
    r"|subscription|shared|shared[ _-]?access|licen[sc]e|x-api|deploy|function)[ _-]?(?i:key)"
    r"|(?i:(?:client|app|api|consumer|oauth|webhook|signing|jwt)[ _-]?secret"
    r"|secret[_-]?access[_-]?key)"
    r"|(?i:(?:api|auth|access|refresh|bearer|session|bot|id|security|user|personal|deploy|oauth)"
    r"[ _-]?token)"
    r"|(?i:passw(?:or)?d|passphrase)"
    r"|[A-Z0-9]_(?:KEY|TOKEN|SECRET|PAT|CREDENTIALS?|AUTH|PASS|PWD)"
    r"|(?P<weak>(?<![A-Za-z])(?i:secret|token|pwd)))"
)
"""Names whose values are secrets: `OPENAI_API_KEY`, `accessToken`, `--api-key`."""
_IS = r"[\"'\]\\]{0,4}[ \t]{0,3}(?:=>|:=|[=:])[ \t]{0,3}[\"'`\\]{0,4}"
_VALUE = r"[A-Za-z0-9+/_.~=%!@#^&*?|-]"
_SCHEME = r"(?i:bearer|basic|token|apikey|api-key|key)"
_HOOK_HOSTS = (
    r"hooks\.slack\.com/(?:services|workflows|triggers)/",
    r"(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{5,25}/",
    r"[a-z0-9-]+\.webhook\.office\.com/webhookb2/",
    r"hooks\.zapier\.com/hooks/catch/",
    r"maker\.ifttt\.com/trigger/\w+/(?:json/)?with/key/",
    r"open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/",
    r"oapi\.dingtalk\.com/robot/send\?access_token=",
    r"qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=",
    r"chat\.googleapis\.com/v1/spaces/",
    r"api\.telegram\.org/bot",
    r"[a-z0-9.-]{1,80}\.logic\.azure\.com(?::\d+)?/workflows/",
)
_HOOK_HINTS = (
    r"hooks\.(?:slack|zapier)\.com",
    r"discord(?:app)?\.com",
    r"webhook\.office\.com",
    r"maker\.ifttt\.com",
    r"open\.(?:feishu|larksuite)",
    r"oapi\.dingtalk\.com",
    r"qyapi\.weixin",
    r"chat\.googleapis\.com",
    r"api\.telegram\.org",
    r"logic\.azure\.com",
)
_ADDRESS_HINTS = (r":\\?/\\?/[^\s@\"'<>]+@",)
_NAMED_HINT = (
    r"(?:key|Key|KEY|token|Token|TOKEN|secret|Secret|SECRET|passw|Passw|PASSW|passphrase|PASSPHRASE"
    r"|_PAT|_AUTH|_PASS|pwd|Pwd|PWD|credential|Credential|CREDENTIAL)[0-9A-Za-z_\]]*"
    r"(?:[\"'\\ \t]*[=:][>=\"'`\\ \t]*[A-Za-z0-9+/_.~%!@#^&*?|-]{16}"
    r"|[ \t]+[\"'\\]*[A-Za-z0-9+/_.~%!@#^&*?|-]{16})"
)
"""A name and a value with a sign between them, or a longer value without a sign."""


def _group(kind: str, pattern: str, hints: Sequence[str], check: Check = always) -> RuleGroup:
    return RuleGroup(hints, (SecretRule(kind, pattern, check),))


def _spelled(keyword: str, value: str) -> tuple[str, ...]:
    """Return hints for a value after a keyword in lower case, capitalised and in upper case."""
    spellings = (keyword, keyword.capitalize(), keyword.upper())
    return tuple(f"{spelling}{value}" for spelling in spellings)


def _prefixed() -> RuleGroup:
    starts = [start.replace(".", r"\.") for start in _STARTS.split()]
    hints = [rf"{start}[A-Za-z0-9_.+/=~\\-]{{10}}" for start in starts]
    rules = tuple(SecretRule(kind, rf"\b(?:{pattern})", is_no_name) for kind, pattern in _PREFIXES)
    return RuleGroup((*hints, *_OTHER_HINTS), rules)


# One table, because the order of the groups matters: the first match wins.
FORMATS: Sequence[RuleGroup] = (
    _group(
        "a private key",
        rf"{_ARMOUR}.*?(?:-----END [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----|\Z)",
        ("-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY",),
    ),
    _group(
        "a private key",
        rf"{_PUTTY}.*?(?:Private-MAC: [0-9a-f]{{0,64}}|\Z)",
        ("PuTTY-User-Key-File-[0-9]:",),
    ),
    _group(
        "a webhook",
        rf"(?:https?://)?(?<![\w-])(?:{'|'.join(_HOOK_HOSTS)})[\w/.%?=&@:+-]{{8,400}}",
        _HOOK_HINTS,
    ),
    _prefixed(),
    _group(
        "an API key",
        r"\b(?:sk|pk|rk)-(?!(?:[a-z]{1,15}[-_]){0,8}[a-z]{1,15}(?![\w-]))[A-Za-z0-9_-]{16,500}",
        tuple(f"{start}-[A-Za-z0-9_-]{{16}}" for start in ("sk", "pk", "rk")),
    ),
    _group(
        "a password in an address",
        r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://(?P<user>[^\s:@/\"'<>\\]{0,100}):"
        r"(?P<secret>[^\s@/\"'<>\\{}$]{3,300})@(?P<host>[\w.\[-][\w.:\]-]{0,200})",
        _ADDRESS_HINTS,
        is_address_password,
    ),
    _group(
        "a token in an address",
        r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://(?P<secret>[\w.~%-]{20,300})@[\w.-]{2,200}",
        _ADDRESS_HINTS,
        is_random_value,
    ),
    _group(
        "an authorization",
        rf"\b(?i:authorization)[\"'\\]{{0,4}}\s{{0,3}}[=:,]?\s{{0,3}}[\"'\\]{{0,4}}{_SCHEME}"
        rf"[ \t]{{1,5}}(?P<secret>{_VALUE}{{8,4000}})",
        _spelled(
            "authorization", r"[\"'\\ \t]*[=:,]?[\"'\\ \t]*(?i:bearer|basic|token|api-?key|key)"
        ),
    ),
    _group(
        "a bearer token",
        rf"\b(?i:bearer)[ \t:=]{{1,5}}[\"'\\]{{0,4}}(?P<secret>{_VALUE}{{16,4000}})",
        _spelled("bearer", r"[ \t:=]+[\"'\\]*[A-Za-z0-9+/_.~=%-]{16}"),
        is_random_value,
    ),
    _group(
        "a password of a command",
        r"\bcurl\b[^\n]{0,300}?[ \t](?:-u|--user)[ =]{0,2}[\"']?[^\s:\"']{1,80}:"
        r"(?P<secret>[^\s\"'$]{4,200})",
        (r"curl[ \t][^\n]*-(?:u|-user)",),
    ),
    _group(
        "a password of a command",
        r"\bmachine[ \t]{1,4}[\w.-]{1,200}\s{1,4}login\s{1,4}\S{1,200}\s{1,4}password\s{1,4}"
        r"(?P<secret>\S{4,300})",
        (r"machine[ \t]+[0-9A-Za-z_.-]+[\\ nrt\t]+login",),
    ),
    _group(
        "a secret value",
        rf"{_NAME}s?(?:{_IS}|(?P<apart>[ \t]{{1,3}}[\"']?))(?P<secret>{_VALUE}{{16,4000}})",
        (_NAMED_HINT,),
        is_named_secret,
    ),
)
"""Rules; rules with the most specific kinds come first."""
