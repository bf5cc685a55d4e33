# SPDX-License-Identifier: Apache-2.0
"""Programs of others that tests run where they are installed: a spreadsheet
program, a browser, packages of npm. Where they are not, the point is skipped,
or the caller gets the reason."""

import csv
import os
import shutil
import subprocess
import tempfile

from tap import check, skip


def office_rows(path):
    """The rows that LibreOffice reads in a workbook of the working folder;
    None: there is none."""
    program = shutil.which("soffice")
    if not program:
        skip("a spreadsheet program opens it", "no LibreOffice")
        return None
    profile = "-env:UserInstallation=file://" + os.path.abspath("profile")
    run = subprocess.run([program, profile, "--headless", "--convert-to",
                          "csv", "--outdir", "opened", path],
                         capture_output=True, text=True, check=False,
                         timeout=180)
    made = os.path.join("opened", os.path.basename(path)[:-5] + ".csv")
    if not os.path.exists(made):
        check("a spreadsheet program opens it", False, run.stdout + run.stderr)
        return None
    with open(made, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def browser_page(path):
    """A page of the working folder as a browser has it, as HTML; None: there
    is no browser."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        skip("a browser shows the page", "no Chromium")
        return None
    home = os.path.abspath("browser")  # all that it writes of itself
    run = subprocess.run(
        [program, "--headless", "--no-sandbox", "--disable-gpu",
         "--user-data-dir=" + home, "--dump-dom",
         "file://" + os.path.abspath(path)],
        capture_output=True, text=True, check=False, timeout=180,
        env={**os.environ, "HOME": home, "XDG_CONFIG_HOME": home,
             "XDG_CACHE_HOME": home})
    if run.returncode:
        skip("a browser shows the page", "Chromium does not run here")
        return None
    return run.stdout


def npm_install(name, packages):
    """The folder NAME of the build with these packages, which are installed
    once; None and why not."""
    if not shutil.which("npm") or not shutil.which("node"):
        return None, "no npm"
    root = os.environ.get("SURETY_BUILD_ROOT") or tempfile.gettempdir()
    folder = os.path.join(root, name)
    stamp = os.path.join(folder, "installed")
    wanted = "\n".join(packages)
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == wanted:
                return folder, None
    os.makedirs(folder, exist_ok=True)
    try:
        run = subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts",
             "--no-save", "--fetch-retries=0", "--fetch-timeout=20000",
             "--prefix", folder, *packages], cwd=folder,
            capture_output=True, timeout=90, check=False)
    except subprocess.TimeoutExpired:
        return None, "npm takes too long"
    if run.returncode:
        return None, "npm cannot install " + ", ".join(packages)
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(wanted)
    return folder, None
