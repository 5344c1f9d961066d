"""Reports as one self-contained HTML file: no script, no request, pictures as inline SVG."""
