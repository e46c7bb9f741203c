"""Invented secrets in current formats, with the prefixes and lengths that services document.

Each secret is assembled from parts, so that no scanner reports this file as a leak.
"""

import random
import string

_LETTERS = string.ascii_letters + string.digits
_LOWER = string.ascii_lowercase + string.digits
_UPPER = string.ascii_uppercase + "234567"
_DIGITS = "123456789"
_HEX = "0123456789abcdef"
_URL = _LETTERS + "_-"
_BASE64 = _LETTERS + "+/"


class _Maker:
    """A generator of random parts of secrets."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - nothing here is secret

    def body(self, size: int, alphabet: str = _LETTERS) -> str:
        """Return random characters that start and end with a letter or digit."""
        inner = "".join(self._chance.choices(alphabet, k=size - 2))
        plain = [char for char in alphabet if char.isalnum()]
        first, last = self._chance.choices(plain, k=2)
        return f"{first}{inner}{last}"

    def uuid(self) -> str:
        """Return a UUID."""
        groups = [self.body(size, _HEX) for size in (8, 4, 4, 4, 12)]
        return "-".join(groups)

    def armour(self, kind: str) -> str:
        """Return a key in PEM format."""
        mark = "-" * 5
        lines = "\n".join(self.body(64, _BASE64) for _ in range(3))
        return f"{mark}BEGIN {kind}{mark}\n{lines}\n{mark}END {kind}{mark}"


def made_up_secrets(seed: int) -> dict[str, str]:
    """Return one invented secret for each format, by the format's name."""
    make = _Maker(seed)
    return {
        # Model providers and services for agents
        "OpenAI, classic": "sk-" + make.body(48),
        "OpenAI, project": "sk-" + "proj-" + make.body(156, _URL),
        "OpenAI, service account": "sk-" + "svcacct-" + make.body(100, _URL),
        "OpenAI, administrator": "sk-" + "admin-" + make.body(100, _URL),
        "Anthropic": "sk-" + "ant-api03-" + make.body(93, _URL) + "AA",
        "Anthropic, OAuth": "sk-" + "ant-oat01-" + make.body(93, _URL) + "AA",
        "OpenRouter": "sk-" + "or-v1-" + make.body(64, _HEX),
        "LiteLLM": "sk-" + make.body(22, _URL),
        "DeepSeek": "sk-" + make.body(32, _HEX),
        "Langfuse": "sk-" + "lf-" + make.uuid(),
        "Hugging Face": "hf" + "_" + make.body(34),
        "Hugging Face, organisation": "api" + "_org_" + make.body(34),
        "Google": "AI" + "za" + make.body(35, _URL),
        "Google, Gemini": "AQ" + ".Ab" + make.body(48, _URL),
        "Google, OAuth secret": "GOC" + "SPX-" + make.body(28, _URL),
        "Google, OAuth token": "ya" + "29." + make.body(120, _URL),
        "Groq": "gs" + "k_" + make.body(52),
        "xAI": "xa" + "i-" + make.body(80),
        "Perplexity": "pp" + "lx-" + make.body(48),
        "Replicate": "r" + "8_" + make.body(37),
        "Together": "tgp" + "_v1_" + make.body(43, _URL),
        "Fireworks": "f" + "w_" + make.body(24),
        "Cerebras": "cs" + "k-" + make.body(48, _LOWER),
        "NVIDIA": "nv" + "api-" + make.body(64, _URL),
        "LangSmith": "ls" + "v2_pt_" + make.body(32, _HEX) + "_" + make.body(10, _HEX),
        "Tavily": "tv" + "ly-dev-" + make.body(32),
        "Firecrawl": "f" + "c-" + make.body(32, _HEX),
        "E2B": "e2" + "b_" + make.body(40, _HEX),
        "Daytona": "dt" + "n_" + make.body(64, _HEX),
        "Modal": "a" + "k-" + make.body(22),
        "Pinecone": "pc" + "sk_" + make.body(6) + "_" + make.body(60),
        "ElevenLabs": "s" + "k_" + make.body(48, _HEX),
        "Weights & Biases": "WANDB_API" + "_KEY=" + make.body(40, _HEX),
        "Mistral": "MISTRAL_API" + "_KEY=" + make.body(32),
        "Azure OpenAI": "AZURE_OPENAI_API" + "_KEY: " + make.body(32, _HEX),
        "Azure OpenAI, new": make.body(52) + "JQQ" + "J99BCACYeBjFXJ3w3AAABACOG" + make.body(4),
        # Clouds
        "AWS": "AK" + "IA" + make.body(16, _UPPER),
        "AWS, session": "AS" + "IA" + make.body(16, _UPPER),
        "AWS, secret": "aws_secret" + "_access_key = " + make.body(40, _BASE64),
        "AWS, Bedrock": "AB" + "SK" + make.body(120, _BASE64),
        "Azure, storage": f"AccountName=acme;{'Account'}Key={make.body(86, _BASE64)}==;EndpointSuffix=core",
        "Azure, client secret": "abc8" + "Q~" + make.body(34, _URL),
        "DigitalOcean": "do" + "p_v1_" + make.body(64, _HEX),
        "Alibaba": "LT" + "AI" + make.body(20),
        "Databricks": "da" + "pi" + make.body(32, _HEX),
        "Heroku": "HR" + "KU-AA" + make.body(58, _URL),
        "Fly": "fo" + "1_" + make.body(43, _URL),
        "Vercel": "vc" + "p_" + make.body(56),
        "Netlify": "nf" + "p_" + make.body(36),
        "Supabase": "sb" + "p_" + make.body(40, _HEX),
        "Vault": "hv" + "s." + make.body(95, _URL),
        "Terraform": make.body(14) + ".atlas" + "v1." + make.body(64, _URL),
        "Pulumi": "pu" + "l-" + make.body(40, _HEX),
        "Doppler": "dp" + ".pt." + make.body(43),
        # Code hosts, registries and tools
        "GitHub": "gh" + "p_" + make.body(36),
        "GitHub, OAuth": "gh" + "o_" + make.body(36),
        "GitHub, server": "gh" + "s_" + make.body(36),
        "GitHub, fine-grained": "github" + "_pat_" + make.body(22) + "_" + make.body(59),
        "GitLab": "gl" + "pat-" + make.body(20, _URL),
        "GitLab, routable": "gl" + "pat-" + make.body(27, _URL) + ".01." + make.body(9, _LOWER),
        "GitLab, runner": "gl" + "rt-" + make.body(20, _URL),
        "Atlassian": "AT" + "ATT3" + make.body(186, _URL),
        "npm": "np" + "m_" + make.body(36),
        "PyPI": "py" + "pi-AgEIcHlwaS5vcmc" + make.body(120, _URL),
        "RubyGems": "ruby" + "gems_" + make.body(48, _HEX),
        "Docker": "dckr" + "_pat_" + make.body(27, _URL),
        "Sentry": "sn" + "tryu_" + make.body(64, _HEX),
        "Grafana": "gl" + "sa_" + make.body(32) + "_" + make.body(8, _HEX),
        "New Relic": "NR" + "AK-" + make.body(27, _UPPER),
        # Messaging, payment and document services
        "Slack, bot": f"xox{'b'}-{make.body(12, _DIGITS)}-{make.body(12, _DIGITS)}-{make.body(24)}",
        "Slack, app": "xa" + "pp-1-" + make.body(11, _UPPER) + "-" + make.body(13, _DIGITS) + "-" + make.body(64, _HEX),
        "Slack, webhook": f"https://hooks.{'slack'}.com/services/T{make.body(8)}/B{make.body(10)}/{make.body(24)}",
        "Discord, webhook": f"https://{'discord'}.com/api/webhooks/{make.body(18, _DIGITS)}/{make.body(68, _URL)}",
        "Discord, bot": "MT" + make.body(24) + "." + make.body(6, _URL) + "." + make.body(38, _URL),
        "Teams, webhook": f"https://acme.webhook.office.com/webhookb2/{make.uuid()}@{make.uuid()}"
        f"/IncomingWebhook/{make.body(32, _HEX)}/{make.uuid()}",
        "Telegram": make.body(10, _DIGITS) + ":A" + "A" + make.body(33, _URL),
        "Stripe": "sk" + "_live_" + make.body(24),
        "Stripe, webhook": "wh" + "sec_" + make.body(32),
        "Square": "sq0" + "atp-" + make.body(22, _URL),
        "Shopify": "sh" + "pat_" + make.body(32, _HEX),
        "Twilio": "S" + "K" + make.body(32, _HEX),
        "SendGrid": "S" + "G." + make.body(22, _URL) + "." + make.body(43, _URL),
        "Mailgun": "ke" + "y-" + make.body(32, _HEX),
        "Linear": "lin" + "_api_" + make.body(40),
        "Notion": "nt" + "n_" + make.body(11, _DIGITS) + make.body(35),
        "Airtable": "pa" + "t" + make.body(14) + "." + make.body(64, _HEX),
        "Figma": "fi" + "gd_" + make.body(40, _URL),
        # Secrets without a provider's prefix
        "web token": "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + make.body(60, _URL) + "." + make.body(43, _URL),
        "bearer": "Authorization: Bearer " + make.body(40),
        "bearer, short": "curl -H 'Authorization: Bearer " + make.body(20) + "'",
        "basic": "authorization: Basic " + make.body(30, _BASE64) + "==",
        "header": "X-API" + "-Key: " + make.body(32),
        "option of a command": "run --api" + "-key " + make.body(32),
        "variable": "export ACME_SERVICE_" + "KEY=" + make.body(32),
        "JSON": '{"client' + '_secret": "' + make.body(32) + '"}',
        "parameter of an address": "https://api.acme.dev/v1?api" + "_key=" + make.body(32),
        "password of a database": "postgres://acme:" + make.body(14) + "@db.acme.dev:5432/results",
        "password of a registry": "https://oauth2:" + make.body(20) + "@git.acme.dev/acme/repo.git",
        "token in an address": "https://" + make.body(40) + "@git.acme.dev/acme/repo.git",
        "curl": "curl -u acme:" + make.body(12) + " https://api.acme.dev",
        "netrc": "machine git.acme.dev login acme password " + make.body(16),
        "age": "AGE-" + "SECRET-KEY-1" + make.body(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
        "RSA": make.armour("RSA PRIV" + "ATE KEY"),
        "OpenSSH": make.armour("OPENSSH PRIV" + "ATE KEY"),
        "PKCS 8": make.armour("PRIV" + "ATE KEY"),
        "PGP": make.armour("PGP PRIV" + "ATE KEY BLOCK"),
        "PuTTY": "PuTTY-User-Key" + "-File-3: ssh-ed25519\nPrivate-Lines: 1\n" + make.body(48, _BASE64),
    }


SECRETS = made_up_secrets(7)
"""The secrets that tests look for individually."""
