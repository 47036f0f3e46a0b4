"""Asks the optuna of this Python which settings a study trains next.

Called by `ringside sweep --ask optuna` with one argument, a JSON object:

    {"settings": [{"name": "optimizer.lr", "low": 0.001, "high": 0.1, "log": true, "whole": false},
                  {"name": "batch.size", "values": ["32", "64"]}],
     "trials": [{"values": {"optimizer.lr": "0.01", "batch.size": "32"}, "reached": 0.91}],
     "more_is_better": true, "seed": 0}

"reached" is null of a trial that failed. The answer is a JSON object in the last line of standard
output, {"values": {"optimizer.lr": "0.0031623", "batch.size": "64"}}. Nothing is kept between two
calls: a study goes on from what its runs have measured. Exit code 3: the last line of standard
error says what is missing, or why there is no answer.
"""

import json
import sys

MOST_TRIES = 100
NO_ANSWER = 3


def distribution_of(optuna, setting):
    kinds = optuna.distributions
    if "values" in setting:
        return kinds.CategoricalDistribution(tuple(setting["values"]))
    if setting["whole"]:
        return kinds.IntDistribution(int(setting["low"]), int(setting["high"]), log=setting["log"])
    return kinds.FloatDistribution(setting["low"], setting["high"], log=setting["log"])


def text_of(setting, value):
    """The value as text: a number with five significant digits, within its range."""
    if "values" in setting:
        return value
    if setting["whole"]:
        return str(int(value))
    short = float("%.5g" % value)
    return repr(min(max(short, setting["low"]), setting["high"]))


def value_of(setting, text):
    if "values" in setting:
        return text
    return int(text) if setting["whole"] else float(text)


def told_trial(optuna, settings, distributions, trial):
    """The trial as an optuna trial; None if its values are outside of the space."""
    try:
        params = {one["name"]: value_of(one, trial["values"][one["name"]]) for one in settings}
        if trial["reached"] is None:
            return optuna.trial.create_trial(
                params=params, distributions=distributions, state=optuna.trial.TrialState.FAIL)
        return optuna.trial.create_trial(
            params=params, distributions=distributions, value=trial["reached"])
    except (KeyError, ValueError):
        return None


def next_values(optuna, asked):
    settings = asked["settings"]
    distributions = {one["name"]: distribution_of(optuna, one) for one in settings}
    sampler = optuna.samplers.TPESampler(seed=asked["seed"] + len(asked["trials"]))
    study = optuna.create_study(
        direction="maximize" if asked["more_is_better"] else "minimize", sampler=sampler)
    known = {}
    for trial in asked["trials"]:
        known[json.dumps(trial["values"], sort_keys=True)] = trial["reached"]
        told = told_trial(optuna, settings, distributions, trial)
        if told is not None:
            study.add_trial(told)
    for _ in range(MOST_TRIES):
        trial = study.ask(distributions)
        values = {one["name"]: text_of(one, trial.params[one["name"]]) for one in settings}
        key = json.dumps(values, sort_keys=True)
        if key not in known:
            return values
        if known[key] is None:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            study.tell(trial, known[key])
    return None


def main():
    asked = json.loads(sys.argv[1])
    try:
        import optuna
    except ImportError as why:
        sys.stderr.write("%s has no optuna (%s); %s -m pip install optuna installs it\n"
                         % (sys.executable, why, sys.executable))
        return NO_ANSWER
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    values = next_values(optuna, asked)
    if values is None:
        sys.stderr.write("optuna proposes nothing that was not trained yet\n")
        return NO_ANSWER
    sys.stdout.write("\n" + json.dumps({"values": values}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
