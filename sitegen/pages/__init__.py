"""The only HTML: views, and the templates that they fill."""
